import type { StringItem, TextItem } from './placed-text.js'

/**
 * The items without line ends before slanted text, as a document draws it where a font has no
 * italics. pdf.js reads a line end there, although the text goes on at the same height.
 */
export function joinSlantedText(items: readonly TextItem[]): readonly TextItem[] {
  let before: StringItem | undefined
  return items.map((item, at) => {
    if (!('str' in item)) return item
    if (item.str.trim() !== '') before = item
    const next = items[at + 1]
    if (!item.hasEOL || before === undefined || next === undefined || !('str' in next)) return item
    const goesOn = (isSlanted(before) || isSlanted(next)) && isOnLine(before, next)
    return goesOn ? { ...item, hasEOL: false } : item
  })
}

function isSlanted({ transform }: StringItem): boolean {
  const [a = 1, b = 0, c = 0, d = 1] = transform as readonly number[]
  return Math.abs(a * c + b * d) > 0.01 * Math.hypot(a, b) * Math.hypot(c, d)
}

function isOnLine(before: StringItem, item: StringItem): boolean {
  const { along, across, size } = measureStep(before, item)
  return Math.abs(across) < size * 0.1 && along >= before.width * 0.5
}

/** The way from the start of an item to that of the next one, and the size of its letters. */
export function measureStep(before: StringItem, item: StringItem) {
  const [a = 1, b = 0, c = 0, d = 1, x1 = 0, y1 = 0] = before.transform as readonly number[]
  const [, , , , x2 = 0, y2 = 0] = item.transform as readonly number[]
  const length = Math.hypot(a, b) || 1
  const [right, up] = [a / length, b / length]
  const [x, y] = [x2 - x1, y2 - y1]
  return { along: x * right + y * up, across: y * right - x * up, size: Math.hypot(c, d) }
}
