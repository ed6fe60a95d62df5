import type { StringItem, TextItem } from './placed-text.js'
import { measureStep } from './slanted-text.js'

/**
 * The items of each line in the order in which they are read. A document may draw a line of Arabic
 * or Hebrew from left to right, even letter by letter. pdf.js only orders the letters of an item.
 */
export function orderItems(items: readonly TextItem[]): readonly TextItem[] {
  if (!items.some((item) => 'str' in item && item.dir === 'rtl')) return items
  const ordered: TextItem[] = []
  let line: StringItem[] = []
  /** The last item of the line that is neither a gap nor a mark. */
  let last: StringItem | undefined
  const end = (): void => {
    for (const item of orderLine(line)) ordered.push(item)
    line = []
    last = undefined
  }
  for (const item of items) {
    if (!('str' in item)) continue
    if (last !== undefined && !isNext(last, item)) end()
    line.push(item)
    if (isLetter(item)) last = item
    if (item.hasEOL) end()
  }
  end()
  return ordered
}

/** Whether an item is on the line of the one before it, and drawn to the right of it. */
function isNext(before: StringItem, item: StringItem): boolean {
  const { along, across, size } = measureStep(before, item)
  return Math.abs(across) < size * 0.5 && (!isLetter(item) || along >= before.width * 0.5)
}

/** A vowel or another mark, which is drawn over a letter. */
function isMark({ str }: StringItem): boolean {
  return /^\p{M}+$/u.test(str.trim())
}

function isLetter(item: StringItem): boolean {
  return !isBlank(item) && !isMark(item)
}

function isBlank({ str }: StringItem): boolean {
  return str.trim() === ''
}

/** A column of a line is read in its own direction, and columns from the right if all are. */
function orderLine(line: readonly StringItem[]): readonly StringItem[] {
  if (line.length < 2 || !line.some(({ dir }) => dir === 'rtl')) return line
  const columns: StringItem[][] = []
  let last: StringItem | undefined
  for (const item of removeGapsOfMarks(line)) {
    const column = columns.at(-1)
    if (column === undefined || (last !== undefined && isInOtherColumn(last, item)))
      columns.push([item])
    else column.push(item)
    if (isLetter(item)) last = item
  }
  const ordered = columns.map(orderColumn)
  const isRight = columns.every(
    (column) => isRightToLeft(column) || !column.some(({ str }) => /\p{L}/u.test(str)),
  )
  const result = joinMarks((isRight ? ordered.toReversed() : ordered).flat())
  const hasEOL = line.at(-1)?.hasEOL === true
  return result.map((item, at) => ({ ...item, hasEOL: hasEOL && at === result.length - 1 }))
}

/** pdf.js reads a space where the document goes back to draw a mark. */
function removeGapsOfMarks(line: readonly StringItem[]): readonly StringItem[] {
  const [before, after] = findAround(line, (item) => (isLetter(item) ? item : undefined))
  return line.filter((item, at) => {
    const [left, right] = [before[at], after[at]]
    if (!isBlank(item) || left === undefined || right === undefined) return true
    if (![line[at - 1], line[at + 1]].some((each) => each !== undefined && isMark(each)))
      return true
    const { along, size } = measureStep(left, right)
    return along - left.width > size * 0.15
  })
}

/** Puts each mark on the letter before it, so that no gap is measured between them. */
function joinMarks(line: readonly StringItem[]): readonly StringItem[] {
  const joined: StringItem[] = []
  let last = -1
  for (const item of line) {
    const letter = isMark(item) ? joined[last] : undefined
    if (letter !== undefined) joined[last] = { ...letter, str: letter.str + item.str.trim() }
    else {
      joined.push(item)
      if (!isBlank(item)) last = joined.length - 1
    }
  }
  return joined
}

function isInOtherColumn(before: StringItem, item: StringItem): boolean {
  const { along, size } = measureStep(before, item)
  return !isBlank(item) && along - before.width > size * 2
}

/** Whether more words are written from right to left than from left to right. */
function isRightToLeft(column: readonly StringItem[]): boolean {
  const words = column
    .map(({ str }) => str)
    .join('')
    .split(/\s+/)
  const right = words.filter((word) => rightLetter.test(word)).length
  const all = words.filter((word) => /\p{L}/u.test(word)).length
  return right > 0 && right * 2 >= all
}

const rightLetter =
  /(?=\p{L})[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u

/** Reverses the runs that are read from right to left (Unicode Standard Annex 9, N1, N2, L2 and L4). */
function orderColumn(column: readonly StringItem[]): readonly StringItem[] {
  const isRight = isRightToLeft(column)
  const findDirection = (item: StringItem) =>
    item.dir === 'rtl' ? true : /[\p{L}\p{N}]/u.test(item.str) ? false : undefined
  const [before, after] = findAround(column, findDirection)
  const runs: { readonly isRight: boolean; readonly items: StringItem[] }[] = []
  column.forEach((item, at) => {
    const [left = isRight, right = isRight] = [before[at], after[at]]
    const direction = findDirection(item) ?? (left === right ? left : isRight)
    const shown = direction && item.dir !== 'rtl' ? { ...item, str: mirror(item.str) } : item
    const run = runs.at(-1)
    if (run?.isRight === direction) run.items.push(shown)
    else runs.push({ isRight: direction, items: [shown] })
  })
  const ordered = runs.map((run) =>
    run.isRight || (isRight && !run.items.some(({ str }) => /\p{L}/u.test(str)))
      ? run.items.toReversed()
      : run.items,
  )
  return (isRight ? ordered.toReversed() : ordered).flat()
}

/** For each item, what the nearest one before and after it is that is something. */
function findAround<T>(
  items: readonly StringItem[],
  find: (item: StringItem) => T | undefined,
): readonly [before: readonly (T | undefined)[], after: readonly (T | undefined)[]] {
  const follow = (): ((item: StringItem) => T | undefined) => {
    let nearest: T | undefined
    return (item) => {
      const before = nearest
      nearest = find(item) ?? nearest
      return before
    }
  }
  return [items.map(follow()), items.toReversed().map(follow()).toReversed()]
}

function mirror(text: string): string {
  const pairs = '()[]{}<>«»'
  return text.replaceAll(
    /[()[\]{}<>«»]/g,
    (bracket) => pairs[pairs.indexOf(bracket) ^ 1] ?? bracket,
  )
}
