import { readFlow } from './flow.js'
import { characterBudget } from './limits.js'
import type { OfficeFile } from './office-file.js'
import { relationshipId, readRelationships } from './relationships.js'
import { readXml } from './xml.js'

/**
 * The text of a PPTX presentation: slides in the order of the presentation, each followed by its
 * notes. Blank lines separate them.
 */
export function readPptx({ archive, main, limits }: OfficeFile): string {
  const characters = characterBudget(limits)
  const links = new Map(
    readRelationships(archive, main, limits).map((link) => [link.id, link.path]),
  )
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
      if (link.type === 'notesSlide')
        texts.push(readFlow(archive, link.path, 'notes', limits, characters).join('\n'))
    }
  }
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n')
}
