const plain = '0123456789+-−=()abcdefghijklmnoprstuvwxyz'
const raised = Array.from('⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ')
const lowered = Array.from('₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎')

/** Digits, signs and small letters as superscripts. Other characters stay. */
export function toSuperscript(text: string): string {
  return Array.from(text, (character) => raised[plain.indexOf(character)] ?? character).join('')
}

/**
 * Text above (1) or below (-1) the base line, so that 10⁶ is not 106. What Unicode does not have,
 * such as decimals and most letters, follows `^` where it would change a number: `10^1.5`, `2^x`.
 * Other text stays as it is: `1st`.
 */
export function shiftText(text: string, shift: number, before: string): string {
  const last = Array.from(before.slice(-2)).at(-1) ?? ''
  if (!/[\p{L}\p{N})\]⁺⁻⁼⁾₊₋₌₎]/u.test(last)) return text
  const isExponent = /[\p{N})\]]/u.test(last)
  if (shift < 0)
    return Array.from(text, (character) => lowered[plain.indexOf(character)] ?? character).join('')
  if (/^[\d+\-−=()n]+$/.test(text)) return toSuperscript(text)
  if (isExponent && /\d/.test(text) && /^[\p{L}\d.,/+\-−=()]+$/u.test(text)) return `^${text}`
  if (/^[ijkmpqtxyz]$/.test(text)) return `^${text}`
  return isExponent ? text : text.replaceAll(/\d+/g, toSuperscript)
}
