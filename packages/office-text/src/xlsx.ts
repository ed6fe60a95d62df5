import { readCellFormats } from './cell-formats.js'
import { readFlow } from './flow.js'
import { countComments } from './comments.js'
import type { OfficeFile } from './office-file.js'
import { relationshipId } from './relationships.js'
import { isTrue, oneLine, readSheet } from './sheet.js'
import { unescapeXstring } from './xstring.js'
import { readXml } from './xml.js'

/**
 * The text of an XLSX workbook: sheets in their order, each headed by its name, with blank lines
 * between them. A row is a line with its cells separated by tabs, and the text of drawings and
 * charts follows the rows. Numbers are given as the sheet shows them, dates in ISO 8601, formulas
 * as their last result. Rows and sheets without content are left out. The name of a hidden sheet is
 * marked.
 */
export function readXlsx(file: OfficeFile): string {
  const links = file.links(file.main)
  const find = (type: string) => links.find((link) => link.type === type)?.path
  const { sheets, date1904 } = readWorkbook(file)
  const strings = readSharedStrings(file, find('sharedStrings'))
  const formats = readCellFormats(file, find('styles'), date1904)

  const texts: string[] = []
  for (const { heading, path } of sheets) {
    file.characters.spend(heading.length)
    const lines = [...readSheet(file, path, strings, formats)]
    for (const link of file.links(path)) {
      if (link.type === 'drawing')
        lines.push(...readFlow(file, link.path, 'drawing').filter((line) => line.trim() !== ''))
      if (link.type === 'comments') countComments(file, link.path)
    }
    if (lines.length > 0) texts.push([heading, ...lines].join('\n'))
  }
  return texts.join('\n\n')
}

type Sheet = { readonly heading: string; readonly path: string }

const sheetTypes: ReadonlySet<string> = new Set(['worksheet', 'chartsheet', 'dialogsheet'])

function readWorkbook(file: OfficeFile) {
  const links = new Map(file.links(file.main).map((link) => [link.id, link]))
  const sheets: Sheet[] = []
  let date1904 = false
  readXml(file.archive, file.main, 'workbook', file.limits, {
    open(name, attributes) {
      if (name === 'workbookPr') date1904 = isTrue(attributes['date1904'])
      if (name !== 'sheet') return
      const link = links.get(relationshipId(attributes) ?? '')
      const title = oneLine(unescapeXstring(attributes['name'] ?? ''))
      const { state } = attributes
      const heading = state === undefined || state === 'visible' ? title : `${title} (hidden)`
      if (link === undefined) file.warnings.add('missing_parts')
      else if (sheetTypes.has(link.type)) sheets.push({ heading, path: link.path })
    },
  })
  return { sheets, date1904 }
}

/** One string for each `si`, its runs joined, without the phonetic readings (`rPh`). */
function readSharedStrings(
  { archive, limits }: OfficeFile,
  path: string | undefined,
): readonly string[] {
  const strings: string[] = []
  if (path === undefined) return strings
  let current = ''
  let inText = false
  let phonetic = false
  readXml(archive, path, 'list of strings', limits, {
    open(name) {
      if (name === 'si') current = ''
      if (name === 'rPh') phonetic = true
      inText = name === 't' && !phonetic
    },
    close(name) {
      if (name === 'si') strings.push(oneLine(unescapeXstring(current)))
      if (name === 'rPh') phonetic = false
      inText = false
    },
    text(text) {
      if (inText) current += text
    },
  })
  return strings
}
