import { isDateCode } from './date-code.js'
import type { OfficeFile } from './office-file.js'
import { readXml } from './xml.js'

/**
 * The date that a cell shows, by its number and the index of its style. Undefined for other styles.
 */
export type DateFormat = (value: number, style: number) => string | undefined

const dayMs = 86_400_000

/**
 * The date styles of a workbook. Dates are written as ISO 8601 without a zone, in every locale:
 * `2026-03-01`, `2026-03-01T09:30:00`, or `09:30:00` for a time alone.
 */
export function readDateFormat(
  { archive, limits }: OfficeFile,
  styles: string | undefined,
  date1904: boolean,
): DateFormat {
  // Each format is examined once, however many cells have it.
  const custom = new Map<string, boolean>()
  const cells: (string | undefined)[] = []
  if (styles === undefined) return () => undefined

  let inCells = false
  readXml(archive, styles, 'list of styles', limits, {
    open(name, attributes) {
      if (name === 'numFmt')
        custom.set(attributes['numFmtId'] ?? '', isDateCode(attributes['formatCode'] ?? ''))
      if (name === 'cellXfs') inCells = true
      if (name === 'xf' && inCells) cells.push(attributes['numFmtId'])
    },
    close(name) {
      if (name === 'cellXfs') inCells = false
    },
  })
  const shows = cells.map((id) => id !== undefined && (custom.get(id) ?? isBuiltInDate(Number(id))))
  return (value, style) => (shows[style] === true ? isoDate(value, date1904) : undefined)
}

/** Built-in formats 14 to 22 and 45 to 47 (ECMA-376 part 1, 18.8.30). */
function isBuiltInDate(id: number): boolean {
  return (id >= 14 && id <= 22) || (id >= 45 && id <= 47)
}

/**
 * Serial days (ECMA-376 part 1, 18.17.4). Those of 1900 count a 29 February that did not exist.
 * Undefined beyond the year 9999.
 */
function isoDate(serial: number, date1904: boolean): string | undefined {
  if (!(serial >= 0 && serial < 2_958_466)) return undefined
  const days = date1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial
  const time = new Date(Math.round((days * dayMs) / 1000) * 1000 - 25_569 * dayMs)
    .toISOString()
    .slice(0, 19)
  if (serial < 1) return time.slice(11)
  return time.endsWith('T00:00:00') ? time.slice(0, 10) : time
}
