const plain = '0123456789+-−=()nivxlc'
const raised = Array.from('⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵛˣˡᶜ')

/** Digits, signs and Roman numbers as superscripts. Other characters stay. */
export function toSuperscript(text: string): string {
  return Array.from(text, (character) => raised[plain.indexOf(character)] ?? character).join('')
}
