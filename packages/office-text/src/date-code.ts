/** More than twice the limit of Excel. */
const maxCharacters = 1_000

const closing: Readonly<Record<string, string>> = { '"': '"', '[': ']' }
/** The character after each of these is literal, or stands for its width. */
const escapes = '\\_*'

/**
 * Whether a number format shows a date (ECMA-376 part 1, 18.8.31): its first section has a letter
 * of dates outside of quotes and brackets, and is not General. One pass. An open quote or bracket
 * hides the rest.
 */
export function isDateCode(code: string): boolean {
  let plain = ''
  let until = ''
  for (let at = 0; at < Math.min(code.length, maxCharacters); at++) {
    const character = code[at] ?? ''
    if (until !== '') until = character === until ? '' : until
    else if (character === ';') break
    else if (escapes.includes(character)) at++
    else if (Object.hasOwn(closing, character)) until = closing[character] ?? ''
    else plain += character
  }
  return /[ymdhs]/i.test(plain) && !/general/i.test(plain)
}
