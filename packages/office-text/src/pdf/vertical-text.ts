import { measureStep } from './slanted-text.js'
import type { StringItem, TextItem } from './placed-text.js'

/**
 * The items with East Asian text as one that is drawn from top to bottom letter by letter, as
 * browsers do. pdf.js reads each letter as a line where the font is not one for vertical text.
 */
export function joinVerticalText(items: readonly TextItem[]): readonly TextItem[] {
  const joined: TextItem[] = []
  let column: StringItem[] = []
  const end = (): void => {
    const [first] = column
    const letters = column.filter(isLetter)
    if (first !== undefined && letters.length >= least)
      joined.push({
        ...first,
        str: letters.map(({ str }) => str).join(''),
        hasEOL: column.at(-1)?.hasEOL === true,
      })
    else for (const item of column) joined.push(item)
    column = []
  }
  let last: StringItem | undefined
  for (const item of items) {
    if (!('str' in item)) continue
    const isEnd = item.str === ''
    if (!isEnd && (last === undefined || !isLetter(item) || !isBelow(last, item))) end()
    if (!isEnd) last = isLetter(item) ? item : undefined
    if (isEnd ? column.length > 0 : last !== undefined) column.push(item)
    else joined.push(item)
  }
  end()
  return joined
}

/** The letters that make a column. Fewer may be the rows of a table. */
const least = 3

function isLetter({ str }: StringItem): boolean {
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u30ff\uff00-\uffef]$/u.test(
    str,
  )
}

/** Whether a letter is right below another one. The rows of tables are further apart. */
function isBelow(before: StringItem, item: StringItem): boolean {
  const { along, across, size } = measureStep(before, item)
  return Math.abs(along) < size * 0.7 && across < -size * 0.5 && across > -size * 1.2
}
