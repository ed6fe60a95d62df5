import { format } from 'numfmt'

/** The text that a number format gives a stored value. */
export type NumberFormat = (value: string, code: string) => string

const dayMs = 86_400_000
/** More than twice the limit of Excel. A longer code is not interpreted. */
const maxCharacters = 1_000

/**
 * Shows stored numbers as the sheet does: percent, currency, fractions, rounded to the digits of
 * the format, in English. Two kinds differ. Dates and times of the day are ISO 8601 in every
 * locale: `2026-03-01`, `2026-03-01T09:30:00`, `09:30:00`. `General` keeps the 15 digits that Excel
 * stores.
 */
export function createNumberFormat(date1904: boolean): NumberFormat {
  // Each code is examined once, however many cells have it.
  const kinds = new Map<string, CodeKind>()
  return (value, code) => {
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number)) return value
    let kind = kinds.get(code)
    if (kind === undefined) kinds.set(code, (kind = classify(code)))
    if (kind === 'general') return String(Number(number.toPrecision(15)))
    if (kind !== 'number') {
      const date = isoDate(number, kind, date1904)
      if (date !== undefined) return date
      return String(Number(number.toPrecision(15)))
    }
    const shown = format(code, number, { nbsp: false, throws: false }).trim()
    return /^#+$/.test(shown) ? String(Number(number.toPrecision(15))) : shown
  }
}

/** The text that a number format gives a string: `"Mr "@`. */
export function formatString(text: string, code: string): string {
  if (code.length > maxCharacters || !code.includes('@') || code.trim() === '@') return text
  const shown = format(code, text, { nbsp: false, throws: false })
  return shown.includes(text) ? shown : text
}

type CodeKind = 'general' | 'number' | 'date' | 'time'

/**
 * What a code shows (ECMA-376 part 1, 18.8.31), by the letters of its first section outside of
 * quotes and brackets. Elapsed time in brackets, `[h]`, is a number.
 */
function classify(code: string): CodeKind {
  if (code.length > maxCharacters) return 'general'
  const section = stripLiterals(code)
  if (section === '' && !/["\\]/.test(code) && !code.includes(';')) return 'general'
  if (/^\s*(?:general|@|standard)\s*$/i.test(section) && code.trim() === section.trim())
    return 'general'
  // how programs of East Asia write General
  if (/^g\/[\p{L}\s]+$/iu.test(section)) return 'general'
  if (/general/i.test(section) || /\[(?:h+|m+|s+)\]/i.test(code)) return 'number'
  if (!/[ymdhs]/i.test(section)) return 'number'
  const hasTime = /[hs]/i.test(section)
  const hasDate = /[yd]|m{3}/i.test(section) || !hasTime
  return hasDate ? 'date' : 'time'
}

/** The first section of a code without quoted text, brackets, escapes and fill characters. */
function stripLiterals(code: string): string {
  let plain = ''
  let until = ''
  for (let at = 0; at < code.length; at += 1) {
    const character = code[at] ?? ''
    if (until !== '') until = character === until ? '' : until
    else if (character === ';') break
    else if ('\\_*'.includes(character)) at += 1
    else if (character === '"') until = '"'
    else if (character === '[') until = ']'
    else plain += character
  }
  return plain
}

/**
 * Serial days (ECMA-376 part 1, 18.17.4). Those of 1900 count a 29 February that did not exist.
 * Undefined for days before the epoch and beyond the year 9999.
 */
function isoDate(serial: number, kind: CodeKind, date1904: boolean): string | undefined {
  if (!(serial >= 0 && serial < 2_958_466)) return undefined
  const days = date1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial
  const time = new Date(Math.round((days * dayMs) / 1000) * 1000 - 25_569 * dayMs)
    .toISOString()
    .slice(0, 19)
  if (kind === 'time' || (serial < 1 && !date1904)) return time.slice(11)
  return time.endsWith('T00:00:00') ? time.slice(0, 10) : time
}
