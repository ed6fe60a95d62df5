/**
 * A line of CSV (RFC 4180). A spreadsheet runs a text that begins like a formula, and the service
 * may pass on the text of others: such a text gets an apostrophe, which spreadsheets show as text.
 * Numbers stay numbers.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

/** What spreadsheets take for a formula, in the full-width forms too, after white space as well. */
const formula = /^[\s\0]*[=+\-@|%＝＋－＠]|^[\t\r\n]/

function toCell(cell: string | number | null): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return decimal(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Without an exponent, which some spreadsheets read as text: 0.0000004 and not 4e-7. */
function decimal(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(12).replace(/\.?0+$/, '') : text
}
