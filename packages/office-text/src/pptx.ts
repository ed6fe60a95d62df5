import { countComments, type OfficeFile, findRelationshipId } from './package/office-file.js'
import { readFlow } from './flow/flow.js'
import { readInteger, readXml } from './package/xml.js'

/**
 * The text of a PPTX presentation: slides in the order of the presentation, each followed by its
 * notes. Blank lines separate them. The text of a master or layout comes before the first slide
 * that shows it.
 */
export function readPptx(file: OfficeFile): string {
  const { archive, main, limits } = file
  const links = new Map(file.links(main).map((link) => [link.id, link.path]))
  const slides: string[] = []
  let firstNumber = 1
  readXml(archive, main, 'presentation', limits, {
    open(name, attributes) {
      if (name === 'presentation') firstNumber = readInteger(attributes['firstSlideNum'], 1)
      if (name !== 'sldId') return
      const path = links.get(findRelationshipId(attributes) ?? '')
      if (path === undefined || path === '') file.warnings.add('missing_parts')
      else slides.push(path)
    },
  })

  const backgrounds = createBackgrounds(file)
  const texts: string[] = []
  for (const [index, slide] of slides.entries()) {
    let showsMaster = true
    const lines = readFlow(file, slide, 'slide', {
      slideNumber: firstNumber + index,
      onRoot: ({ showMasterSp }) =>
        (showsMaster = showMasterSp !== '0' && showMasterSp !== 'false'),
    })
    texts.push(...(showsMaster ? backgrounds(slide) : []), lines.join('\n'))
    for (const link of file.links(slide)) {
      if (link.type === 'notesSlide') texts.push(readFlow(file, link.path, 'notes').join('\n'))
      if (link.type === 'comments') countComments(file, link.path)
    }
  }
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n')
}

/** Gives the texts of the master and layout of a slide, each the first time only. */
function createBackgrounds(file: OfficeFile): (slide: string) => readonly string[] {
  const seen = new Set<string>()
  const read = (path: string | undefined, label: string) => {
    let showsMaster = true
    if (path === undefined || seen.has(path)) return { text: '', showsMaster }
    seen.add(path)
    const lines = readFlow(file, path, label, {
      withoutPlaceholders: true,
      onRoot: ({ showMasterSp }) =>
        (showsMaster = showMasterSp !== '0' && showMasterSp !== 'false'),
    })
    return { text: lines.join('\n'), showsMaster }
  }
  const find = (part: string, type: string) =>
    file.links(part).find((link) => link.type === type)?.path

  return (slide) => {
    const layout = find(slide, 'slideLayout')
    const { text, showsMaster } = read(layout, 'layout')
    const master = layout === undefined || !showsMaster ? undefined : find(layout, 'slideMaster')
    return [read(master, 'master').text, text]
  }
}
