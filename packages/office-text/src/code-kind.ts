/** What a number format shows: a date, a time of the day, elapsed time, or another number. */
export type CodeKind = 'general' | 'number' | 'elapsed' | 'date' | 'time'

/** `[h]`, `[mm]` or `[ss]` alone: whole hours, minutes or seconds. */
export const elapsed = /^\s*\[(h+|m+|s+)\]\s*$/i

/** More than twice the limit of Excel. Longer codes are not interpreted. */
export const maxCharacters = 1_000

/** The kind of a code for each number, by the section that applies to it. */
export function classify(code: string): (number: number) => CodeKind {
  if (code.length > maxCharacters) return () => 'general'
  const sections = splitSections(code).filter(({ plain }, at) => at === 0 || !plain.includes('@'))
  const kinds = sections.map(({ plain }) => classifySection(code, plain))
  const [first = 'general'] = kinds
  return kinds.length < 2 ? () => first : (number) => kinds[findSection(sections, number)] ?? first
}

/** The letters of a section outside quotes and brackets, and its condition, such as `>=100`. */
type Section = { readonly plain: string; readonly condition: string | undefined }

/** Without quoted text, brackets, escapes and fill characters (ECMA-376 part 1, 18.8.31). */
function splitSections(code: string): readonly Section[] {
  const sections: { plain: string; condition: string | undefined }[] = []
  let section = { plain: '', condition: undefined as string | undefined }
  let until = ''
  let bracket = ''
  for (let at = 0; at < code.length; at += 1) {
    const character = code[at] ?? ''
    if (until !== '') {
      if (character !== until) bracket += character
      else {
        if (until === ']' && /^[<>=]/.test(bracket)) section.condition = bracket
        until = ''
      }
    } else if (character === ';') {
      sections.push(section)
      section = { plain: '', condition: undefined }
    } else if ('\\_*'.includes(character)) at += 1
    else if (character === '"' || character === '[') {
      until = character === '"' ? '"' : ']'
      bracket = ''
    } else section.plain += character
  }
  return [...sections, section]
}

/** Without conditions, the sections are for positive and negative numbers and for zero. */
function findSection(sections: readonly Section[], number: number): number {
  if (sections.every(({ condition }) => condition === undefined))
    return number < 0 ? 1 : number === 0 && sections.length > 2 ? 2 : 0
  const sectionIndex = sections.findIndex(
    ({ condition }) => condition !== undefined && holds(condition, number),
  )
  return sectionIndex >= 0
    ? sectionIndex
    : sections.findLastIndex(({ condition }) => condition === undefined)
}

function holds(condition: string, number: number): boolean {
  const [, operator = '', operand = ''] = /^([<>=]+)(.*)/s.exec(condition) ?? []
  const other = Number(operand)
  if (operator === '<>') return number !== other
  return (
    (operator.includes('=') && number === other) ||
    (operator.includes('<') && number < other) ||
    (operator.includes('>') && number > other)
  )
}

/** Elapsed time in brackets, `[h]`, is a number. */
function classifySection(code: string, section: string): CodeKind {
  if (elapsed.test(code)) return 'elapsed'
  if (section === '' && !/["\\]/.test(code) && !code.includes(';')) return 'general'
  if (/^\s*(?:general|@|standard)\s*$/i.test(section) && code.trim() === section.trim())
    return 'general'
  // the East Asian form of General
  if (/^g\/[\p{L}\s]+$/iu.test(section)) return 'general'
  if (/general/i.test(section) || /\[(?:h+|m+|s+)\]/i.test(code)) return 'number'
  if (!/[ymdhs]/i.test(section)) return 'number'
  const hasTime = /[hs]/i.test(section)
  const hasDate = /[yd]|m{3}/i.test(section) || !hasTime
  return hasDate ? 'date' : 'time'
}
