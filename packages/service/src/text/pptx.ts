import { readFlow } from './flow.js'
import { createBudget } from './limits.js'
import type { OfficeFile } from './office-file.js'
import { readRelationships } from './relationships.js'
import { readXml } from './xml.js'

/** The text of a PPTX presentation: slides in the order in which they are shown, each followed by its notes, parted by blank lines. */
export function readPptx({ archive, main, limits }: OfficeFile): string {
  const characters = createBudget(limits.characters, 'characters of text')
  const links = new Map(readRelationships(archive, main, limits).map((link) => [link.id, link.path]))
  const slides: string[] = []
  readXml(archive, main, 'presentation', limits, {
    open(name, attributes) {
      if (name !== 'sldId') return
      const path = links.get(relationshipId(attributes) ?? '')
      if (path !== undefined) slides.push(path)
    },
  })

  const texts: string[] = []
  for (const slide of slides) {
    texts.push(readFlow(archive, slide, 'slide', limits, characters).join('\n'))
    for (const link of readRelationships(archive, slide, limits)) {
      if (link.type === 'notesSlide') texts.push(readFlow(archive, link.path, 'notes', limits, characters).join('\n'))
    }
  }
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n')
}

/** `r:id`, whatever the prefix; a bare `id` is another attribute of the same element. */
function relationshipId(attributes: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1]
}
