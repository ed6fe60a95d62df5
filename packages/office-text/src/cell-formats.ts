import { format } from 'numfmt'
import { classify, type CodeKind, elapsed, maxCharacters } from './code-kind.js'
import type { WarningCounter } from './findings.js'
import { createRunText, isSymbolFont } from './flow/run-text.js'
import type { OfficeFile } from './package/office-file.js'
import { readXml } from './package/xml.js'

/** The text of cells by the index of their style. */
export type CellFormats = {
  number(value: string, style: number): string
  /** `isRich` is text with fonts of its own. */
  string(text: string, style: number, isRich: boolean): string
}

/** The number formats of a workbook: those that it defines, and those that every program knows. */
export function readCellFormats(
  { archive, limits, warnings }: OfficeFile,
  styles: string | undefined,
  date1904: boolean,
): CellFormats {
  const custom = new Map<string, string>()
  const cells: string[] = []
  const cellFonts: number[] = []
  const fonts: string[] = []
  let within = ''
  if (styles !== undefined)
    readXml(archive, styles, 'list of styles', limits, {
      open(name, attributes) {
        // a format within `dxfs` belongs to a rule, not to a cell
        if (lists.has(name)) within = name
        else if (name === 'numFmt' && within === 'numFmts')
          custom.set(attributes['numFmtId'] ?? '', attributes['formatCode'] ?? '')
        else if (name === 'font' && within === 'fonts') fonts.push('')
        else if (name === 'name' && within === 'fonts')
          fonts[fonts.length - 1] = attributes['val'] ?? ''
        else if (name === 'xf' && within === 'cellXfs') {
          cells.push(attributes['numFmtId'] ?? '0')
          cellFonts.push(Number(attributes['fontId'] ?? 0))
        }
      },
      close(name) {
        if (name === within) within = ''
      },
    })

  const codes = cells.map((id) => custom.get(id) ?? findBuiltIn(Number(id)))
  const format = createNumberFormat(date1904)
  return {
    number: (value, style) => format(value, codes[style] ?? ''),
    string(text, style, isRich) {
      const display = formatString(text, codes[style] ?? '')
      const font = fonts[cellFonts[style] ?? 0] ?? ''
      return isRich || !isSymbolFont(font) ? display : showSymbols(display, font, warnings)
    },
  }
}

const lists: ReadonlySet<string> = new Set(['numFmts', 'fonts', 'cellXfs', 'dxfs'])

function showSymbols(text: string, font: string, warnings: WarningCounter): string {
  let display = ''
  const run = createRunText(
    { add: (more) => (display += more), paragraph: () => display },
    warnings,
  )
  const close = run.open()
  run.font(font)
  run.add(text)
  close()
  return display
}

/**
 * The formats without a definition in the file (ECMA-376 part 1, 18.8.30): 27 to 36 and 50 to 58
 * are dates in the lists of East Asia, and 59 to 81 are the Thai list.
 */
function findBuiltIn(id: number): string {
  if ((id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return 'yyyy-mm-dd h:mm'
  return builtInCodes[id] ?? ''
}

const builtInCodes: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '$#,##0;\\-$#,##0',
  6: '$#,##0;[Red]\\-$#,##0',
  7: '$#,##0.00;\\-$#,##0.00',
  8: '$#,##0.00;[Red]\\-$#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  37: '#,##0;\\-#,##0',
  38: '#,##0;[Red]\\-#,##0',
  39: '#,##0.00;\\-#,##0.00',
  40: '#,##0.00;[Red]\\-#,##0.00',
  41: '#,##0;\\-#,##0;"-"',
  42: '$#,##0;\\-$#,##0;$"-"',
  43: '#,##0.00;\\-#,##0.00;"-"??',
  44: '$#,##0.00;\\-$#,##0.00;$"-"??',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
  49: '@',
  59: '0',
  60: '0.00',
  61: '#,##0',
  62: '#,##0.00',
  67: '0%',
  68: '0.00%',
  69: '# ?/?',
  70: '# ??/??',
  71: 'd/m/yyyy',
  72: 'd-mmm-yy',
  73: 'd-mmm',
  74: 'mmm-yy',
  75: 'h:mm',
  76: 'h:mm:ss',
  77: 'd/m/yyyy h:mm',
  78: 'mm:ss',
  79: '[h]:mm:ss',
  80: 'mm:ss.0',
  81: 'd/m/yyyy',
}

/** The text that a number format gives a stored value. */
type NumberFormat = (value: string, code: string) => string

const dayMs = 86_400_000
/**
 * Shows stored numbers as the sheet does: percent, currency, fractions, rounded to the digits of
 * the format, in English. Two kinds differ. Dates and times of the day are ISO 8601 in every
 * locale: `2026-03-01`, `2026-03-01T09:30:00`, `09:30:00`. `General` keeps the 15 digits that Excel
 * stores.
 */
export function createNumberFormat(date1904: boolean): NumberFormat {
  // Each code is examined once, however many cells have it.
  const kinds = new Map<string, (number: number) => CodeKind>()
  return (value, code) => {
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number)) return value
    let findKind = kinds.get(code)
    if (findKind === undefined) kinds.set(code, (findKind = classify(code)))
    const kind = findKind(number)
    if (kind === 'elapsed') return showElapsed(code, number)
    if (kind === 'general') return String(Number(number.toPrecision(15)))
    if (kind !== 'number') {
      const date = formatIsoDate(number, kind, date1904, countFractionDigits(code))
      if (date !== undefined) return date
      return String(Number(number.toPrecision(15)))
    }
    const text = showNumber(removeLocales(code), number).trim()
    return /^#+$/.test(text) ? String(Number(number.toPrecision(15))) : text
  }
}

function showNumber(code: string, number: number): string {
  const options = { nbsp: false, throws: false }
  if (number >= 0 || !/\[(?:h+|m+|s+)\]/i.test(code) || /\[[<>=]/.test(code))
    return format(code, number, options)
  // numfmt counts negative elapsed time from the day before
  const negative = readNegativeSection(code)
  return negative === undefined
    ? `-${format(code, -number, options)}`
    : format(negative, -number, options)
}

/** What stands between the first two semicolons that are not quoted, if there is one. */
function readNegativeSection(code: string): string | undefined {
  const [first = ''] = section.exec(code) ?? []
  return code.length === first.length ? undefined : section.exec(code.slice(first.length + 1))?.[0]
}

const section = /^(?:[^";]|"[^"]*(?:"|$))*/

/**
 * A code without the locales of its currencies: `[$€-407]` is `[$€]`. The separators of a number
 * are those of the program, else `1.234` would be a thousand in one cell and not in the next.
 */
function removeLocales(code: string): string {
  return code.replace(/\[\$([^[\]-]*)-[\dA-F]+\]/gi, (_tag, symbol: string) =>
    symbol === '' ? '' : `[$${symbol}]`,
  )
}

/** The text that a number format gives a string: `"Mr "@`. */
function formatString(text: string, code: string): string {
  if (code.length > maxCharacters) return text
  // a fourth section without content hides text
  if (/^[^"\\;]*;[^"\\;]*;[^"\\;]*;\s*$/.test(code)) return ''
  if (!code.includes('@') || code.trim() === '@') return text
  const display = format(code, text, { nbsp: false, throws: false })
  return display.includes(text) ? display : text
}

/**
 * Serial days (ECMA-376 part 1, 18.17.4). Those of 1900 count a 29 February that did not exist.
 * Undefined for days before the epoch and beyond the year 9999.
 */
function formatIsoDate(
  serial: number,
  kind: CodeKind,
  date1904: boolean,
  fractionDigits: number,
): string | undefined {
  if (!(serial >= 0 && serial < 2_958_466)) return undefined
  const days = date1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial
  const unit = 1000 / 10 ** fractionDigits
  const time = new Date(Math.round((days * dayMs) / unit) * unit - 25_569 * dayMs)
    .toISOString()
    .slice(0, fractionDigits === 0 ? 19 : 20 + fractionDigits)
  if (kind === 'time' || (serial < 1 && !date1904)) return time.slice(11)
  return /T00:00:00(?:\.0+)?$/.test(time) ? time.slice(0, 10) : time
}

/** The digits of a second that a code shows: 2 for `ss.00`. */
function countFractionDigits(code: string): number {
  return /s\.(0{1,3})/i.exec(code)?.[1]?.length ?? 0
}

function showElapsed(code: string, number: number): string {
  const unit = elapsed.exec(code)?.[1]?.toLowerCase() ?? ''
  const perDay = unit.startsWith('h') ? 24 : unit.startsWith('m') ? 1440 : 86_400
  const amount = Math.trunc(Number((number * perDay).toPrecision(12)))
  return `${amount < 0 ? '-' : ''}${String(Math.abs(amount)).padStart(unit.length, '0')}`
}
