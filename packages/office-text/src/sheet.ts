import type { CellFormats } from './cell-formats.js'
import type { OfficeFile } from './office-file.js'
import { createSheetRows, parseColumn } from './sheet-rows.js'
import { unescapeXstring } from './xstring.js'
import { readXml } from './xml.js'

type Cell = { readonly type: string; readonly style: number }

/** The rows of a sheet that have content, with tabs between their cells. */
export function readSheet(
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

export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
