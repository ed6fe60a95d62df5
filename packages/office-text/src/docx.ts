import { createListLabels, readStyles } from './flow/docx-styles.js'
import { readFlow } from './flow/flow.js'
import { createNoteMarks, readNoteNumbers } from './flow/note-marks.js'
import type { OfficeFile } from './package/office-file.js'

/** The text of a DOCX: headers, body, footnotes, endnotes, footers. Equal parts appear once. */
export function readDocx(file: OfficeFile): string {
  const links = file.links(file.main)
  const find = (type: string) => links.find((link) => link.type === type)?.path
  const styles = readStyles(file, find('styles'))
  const hasNotes = find('footnotes') !== undefined || find('endnotes') !== undefined
  const marks = createNoteMarks(hasNotes ? readNoteNumbers(file, find('settings')) : [])
  const read = (path: string, label: string): string => {
    const labels = createListLabels(file, find('numbering'), styles)
    return readFlow(file, path, label, { styles, labels, marks }).join('\n')
  }
  const readLinked = (type: string): readonly string[] => {
    const texts = links
      .filter((link) => link.type === type)
      .map((link) => read(link.path, type).trim())
    return [...new Set(texts)]
  }
  const body = read(file.main, 'document')
  const parts = [
    ...readLinked('header'),
    body,
    ...readLinked('footnotes'),
    ...readLinked('endnotes'),
    ...readLinked('footer'),
  ]
  return parts.filter((part) => part.trim() !== '').join('\n\n')
}
