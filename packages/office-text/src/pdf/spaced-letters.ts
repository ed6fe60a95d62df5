import { getResolvedPDFJS } from 'unpdf'
import { readOperations } from './operations.js'
import type { Page, TextItem } from './placed-text.js'

/**
 * The items of the text of a page, with the letters of a word together that are set apart, as in
 * `T O T A L`. pdf.js reads each gap as a space. Where the document draws the letters as one string
 * without spaces, they are one word.
 */
export async function joinSpacedLetters(
  page: Page,
  items: readonly TextItem[],
): Promise<readonly TextItem[]> {
  const hasSpacedWord = (str: string) => /(?:^| )\S \S \S(?: |$)/u.test(str)
  if (!items.some((item) => 'str' in item && hasSpacedWord(item.str))) return items
  const strings = await readDrawnStrings(page)
  const spell = createSpeller(strings)
  let at = 0
  return items.map((item) => {
    if (!('str' in item)) return item
    if (/(?:^| )\S \S(?: |$)/u.test(item.str)) {
      const spelled = spell(item.str)
      if (spelled !== undefined) return { ...item, str: spelled }
    }
    if (!isSpaced(item.str)) return item
    const word = item.str.replaceAll(' ', '')
    const contains = ({ text, isTracked }: DrawnString) =>
      text.includes(word) && (isTracked || /\p{L}{4}/u.test(word))
    const found = strings.findIndex((string, index) => index >= at && contains(string))
    if (found < 0) return item
    at = found
    return { ...item, str: word }
  })
}

/**
 * Spells text as a document does that draws each letter by itself, and spaces too, as browsers do.
 * Undefined for text that has no space drawn within or beside it: its gaps may be what is meant.
 */
function createSpeller(strings: readonly DrawnString[]): (text: string) => string | undefined {
  const drawn = strings.map(({ text }) => (/^.$/su.test(text) ? text : '\n'.repeat(2))).join('')
  const letters = drawn.replaceAll(' ', '')
  const places: number[] = []
  for (let at = 0; at < drawn.length; at += 1) if (drawn[at] !== ' ') places.push(at)
  let from = 0
  return (text) => {
    const word = text.replaceAll(' ', '')
    const skipped = letters.slice(from, from + reach).indexOf(word)
    if (skipped < 0) return undefined
    const at = from + skipped
    const [start, end] = [places[at] ?? 0, (places[at + word.length - 1] ?? 0) + 1]
    const around = drawn.slice(Math.max(0, start - 1), end + 1)
    if (!around.includes(' ')) return undefined
    from = at + word.length
    return drawn.slice(start, end)
  }
}

/** More letters than a page has. */
const reach = 65_536

/** Whether a string is single characters with spaces between them. */
function isSpaced(text: string): boolean {
  return /^\S(?: \S)+$/u.test(text)
}

/** A string that a page draws, and whether the document sets its letters apart. */
type DrawnString = { readonly text: string; readonly isTracked: boolean }

/** The gap between words where a document draws no spaces, as TeX does, in thousandths of an em. */
const wordGap = -220

async function readDrawnStrings(page: Page): Promise<readonly DrawnString[]> {
  const { OPS } = await getResolvedPDFJS()
  const { fnArray, argsArray } = await readOperations(page)
  const outer: number[] = []
  const strings: DrawnString[] = []
  let spacing = 0
  fnArray.forEach((operator, index) => {
    const [first] = (argsArray[index] ?? []) as readonly unknown[]
    if (operator === OPS.save) outer.push(spacing)
    else if (operator === OPS.restore) spacing = outer.pop() ?? 0
    else if (operator === OPS.setCharSpacing) spacing = Number(first)
    else if (operator === OPS.showText) {
      const text = (first as readonly ({ readonly unicode?: string } | number | null)[])
        .map((glyph) =>
          typeof glyph === 'number' ? (glyph < wordGap ? ' ' : '') : (glyph?.unicode ?? ''),
        )
        .join('')
      strings.push({ text, isTracked: spacing > 0 })
    }
  })
  return strings
}
