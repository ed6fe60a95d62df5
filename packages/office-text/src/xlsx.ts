import { ExtractTextError } from './findings.js'
import { readFlow } from './flow/flow.js'
import type { Budget } from './limits.js'
import { countComments, type OfficeFile, relationshipId } from './package/office-file.js'
import { readXml, unescapeXstring } from './package/xml.js'
import { type CellFormats, readCellFormats } from './cell-formats.js'

/**
 * The text of an XLSX workbook: sheets in their order, each headed by its name, with blank lines
 * between them. A row is a line with its cells separated by tabs, and the text of drawings and
 * charts follows the rows. Numbers appear as the sheet shows them, dates in ISO 8601, formulas as
 * their last result. Empty rows and sheets are left out. The name of a hidden sheet is marked.
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

type Cell = { readonly type: string; readonly style: number }

/** The rows of a sheet that have content, with tabs between their cells. */
function readSheet(
  file: OfficeFile,
  path: string,
  strings: readonly string[],
  formats: CellFormats,
): readonly string[] {
  const rows = createSheetRows(file.characters)
  let column = 0
  let cell: Cell | undefined
  let value = ''
  let reading = false
  let phonetic = false

  readXml(file.archive, path, 'sheet', file.limits, {
    open(name, attributes) {
      if (name === 'row') {
        const { r } = attributes
        rows.openRow(r === undefined ? undefined : Number(r))
        column = 0
      } else if (name === 'c') {
        column = parseColumn(attributes['r']) ?? column + 1
        cell = { type: attributes['t'] ?? 'n', style: Number(attributes['s'] ?? 0) }
        value = ''
      } else if (name === 'rPh') phonetic = true
      else if (name === 'mergeCell') rows.merge(attributes['ref'] ?? '')
      reading = cell !== undefined && !phonetic && (name === 'v' || name === 't')
    },
    close(name) {
      reading = false
      if (name === 'rPh') phonetic = false
      else if (name === 'c' && cell !== undefined) {
        rows.add(column, show(cell))
        cell = undefined
      } else if (name === 'row') rows.closeRow()
    },
    text(text) {
      if (reading) value += text
    },
  })
  return rows.lines()

  /** A cell as text (ECMA-376 part 1, 18.18.11). */
  function show({ type, style }: Cell): string {
    if (type === 's') {
      const string = strings[Number(value)]
      if (string === undefined && value !== '') file.warnings.add('missing_parts')
      return oneLine(formats.string(string ?? '', style))
    }
    if (type === 'b') return value === '' ? '' : isTrue(value) ? 'TRUE' : 'FALSE'
    if (type === 'd') return oneLine(value.replace(/T00:00:00(?:\.0+)?Z?$/, ''))
    if (type === 'n') return oneLine(formats.number(value, style))
    return oneLine(type === 'e' ? value : formats.string(unescapeXstring(value), style))
  }
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** The characters of all rows that merges may read. More is an attack. */
const maxMergedCharacters = 400_000_000

/** Collects the rows of a sheet. */
function createSheetRows(characters: Budget) {
  const rows: { readonly number: number; cells: string }[] = []
  let row = ''
  let number = 0
  let last = 0
  let merged = 0

  return {
    openRow(stated: number | undefined): void {
      number = stated ?? number + 1
      row = ''
      last = 0
    },
    /** A cell that the file omits counts as empty. */
    add(column: number, text: string): void {
      if (text === '') return
      const gap = Math.max(0, column - Math.max(1, last))
      characters.spend(gap + text.length)
      row += '\t'.repeat(gap) + text
      last = column
    },
    closeRow(): void {
      if (row === '') return
      characters.spend(1)
      rows.push({ number, cells: row })
    },
    /** Empties the cells that a merged cell covers, since only the first is shown. */
    merge(reference: string): void {
      const corner = /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(reference)
      if (corner === null) return
      const [left, right] = [parseColumn(corner[1]) ?? 1, parseColumn(corner[3]) ?? 1]
      const [top, bottom] = [Number(corner[2]), Number(corner[4])]
      for (let at = findRow(top); at < rows.length; at += 1) {
        const each = rows[at]
        if (each === undefined || each.number > bottom) break
        merged += each.cells.length + 100
        if (merged > maxMergedCharacters) {
          throw new ExtractTextError(
            'too_complex',
            'A sheet of the file has too many merged cells. Send a smaller part of it.',
          )
        }
        const cells = each.cells.split('\t')
        const from = each.number === top ? left : left - 1
        for (let column = from; column < Math.min(right, cells.length); column += 1)
          cells[column] = ''
        each.cells = cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1).join('\t')
      }
    },
    lines: (): readonly string[] => rows.map(({ cells }) => cells).filter((cells) => cells !== ''),
  }

  /** The first row with this number or a later one. Rows stand in their order. */
  function findRow(wanted: number): number {
    let [low, high] = [0, rows.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((rows[middle]?.number ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** 1 for `A1`, 28 for `AB7`; undefined where no column within the widest sheet (`XFD`) is named. */
function parseColumn(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  const column = Array.from(letters).reduce(
    (sum, letter) => sum * 26 + letter.charCodeAt(0) - 64,
    0,
  )
  return column <= 16_384 ? column : undefined
}
