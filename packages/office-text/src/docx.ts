import { createListLabels, readStyles } from './flow/docx-styles.js'
import { readFlow } from './flow/flow.js'
import { createNoteMarks, readNoteNumbers } from './flow/note-marks.js'
import { type Openers, createOpener } from './flow/state.js'
import { type OfficeFile, findRelationshipId } from './package/office-file.js'
import { isOn, readValue, readXml } from './package/xml.js'

/**
 * The text of a DOCX: headers, body, footnotes, endnotes, footers. Equal parts appear once, and those
 * for pages that the document does not tell apart not at all.
 */
export function readDocx(file: OfficeFile): string {
  const links = file.links(file.main)
  const find = (type: string) => links.find((link) => link.type === type)?.path
  const styles = readStyles(file, find('styles'))
  const hasNotes = find('footnotes') !== undefined || find('endnotes') !== undefined
  const marks = createNoteMarks(hasNotes ? readNoteNumbers(file, find('settings')) : [])
  const pageParts = createPageParts(() => hasEvenPages(file, find('settings')))
  const read = (path: string, label: string, openers?: Openers): string => {
    const labels = createListLabels(file, find('numbering'), styles)
    const options = { styles, labels, marks, ...(openers && { openers: () => openers }) }
    return readFlow(file, path, label, options).join('\n')
  }
  const readLinked = (type: string): readonly string[] => {
    const texts = links
      .filter((link) => link.type === type && !pageParts.isUnused(link.id))
      .map((link) => read(link.path, type).trim())
    return [...new Set(texts)]
  }
  const body = read(file.main, 'document', pageParts.openers)
  const parts = [
    ...readLinked('header'),
    body,
    ...readLinked('footnotes'),
    ...readLinked('endnotes'),
    ...readLinked('footer'),
  ]
  return parts.filter((part) => part.trim() !== '').join('\n\n')
}

/**
 * The headers and footers of sections (ECMA-376 part 1, 17.10). Those of first pages are used with
 * `titlePg`, those of even pages with a setting. A section without a part takes that of the one
 * before it.
 */
function createPageParts(hasEvenPages: () => boolean) {
  const fonts = new Set<string>()
  const used = new Set<string>()
  const first = new Map<'header' | 'footer', string>()
  let isEvenUsed: boolean | undefined
  const openReference = (kind: 'header' | 'footer') =>
    createOpener((attributes) => {
      const id = findRelationshipId(attributes) ?? ''
      const type = readValue(attributes, 'type')
      fonts.add(id)
      if (type === 'first') first.set(kind, id)
      else if (type !== 'even' || (isEvenUsed ??= hasEvenPages())) used.add(id)
    })
  const openers: Openers = {
    headerReference: openReference('header'),
    footerReference: openReference('footer'),
    // follows the references of its section
    titlePg: createOpener((attributes) => {
      if (isOn(readValue(attributes))) for (const id of first.values()) used.add(id)
    }),
  }
  return { openers, isUnused: (id: string): boolean => fonts.has(id) && !used.has(id) }
}

function hasEvenPages(file: OfficeFile, settings: string | undefined): boolean {
  let found = false
  if (settings !== undefined)
    readXml(file.archive, settings, 'settings', file.limits, {
      open(name, attributes) {
        if (name === 'evenAndOddHeaders') found = isOn(readValue(attributes))
      },
    })
  return found
}
