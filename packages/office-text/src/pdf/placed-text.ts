import type { getDocumentProxy } from 'unpdf'
import { shiftText } from '../flow/shift-text.js'
import type { Budget } from '../limits.js'

export type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>

export type TextContent = Awaited<ReturnType<Page['getTextContent']>>
export type TextItem = TextContent['items'][number]
export type StringItem = Extract<TextItem, { str: string }>

/** Reads in the items of a page what pdf.js cannot read. */
export type ItemReader = (
  page: Page,
  items: readonly TextItem[],
  styles: TextContent['styles'],
) => Promise<readonly TextItem[]>

/** A piece of the text of a page, with its place in the units of the page. */
export type PlacedText = {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Where the line goes, as a vector of the length 1. */
  readonly direction: readonly [x: number, y: number]
}

/** The pieces of the text of a page, in its order, with the white space between them. */
export function readPlacedText(
  items: readonly TextItem[],
  styles: TextContent['styles'],
  characters: Budget,
): readonly PlacedText[] {
  const placed: PlacedText[] = []
  const isRepeated = createRepetition()
  let isLeftOut = false
  for (const item of items) {
    if (!('str' in item)) continue
    characters.spend(item.str.length + 1)
    const { hasEOL } = item
    const str = item.str.replaceAll(/[\t-\r]/g, ' ').replaceAll(/\p{Cc}/gu, '')
    if (str === '' && !hasEOL) continue
    const before = placed.pop()
    const pieces = placeItem(item, str, styles[item.fontName]?.vertical === true)
    const piece = removeDrawnTwice(pieces, before)
    isLeftOut =
      isRepeated(piece) || (piece.text === '' && str !== '') || (isLeftOut && str.trim() === '')
    if (before !== undefined && isLeftOut) {
      const isEnd = hasEOL && !before.text.endsWith('\n')
      placed.push(isEnd ? { ...before, text: `${before.text}\n` } : before)
      continue
    }
    if (before !== undefined) placed.push({ ...before, text: addGap(before, piece) })
    const shown = shiftPiece(piece, placed.at(-1))
    placed.push({ ...piece, text: hasEOL ? `${shown}\n` : shown })
  }
  return placed
}

/** Vertical text has its length as its height. */
function placeItem(
  item: { width: number; height: number; transform: readonly number[] },
  text: string,
  isVertical: boolean,
): PlacedText {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = item.transform
  const [right, up] = isVertical ? [-c, -d] : [a, b]
  const [width, height] = isVertical ? [item.height, item.width] : [item.width, item.height]
  const length = Math.hypot(right, up) || 1
  return { text, x, y, width, height, direction: [right / length, up / length] }
}

/** Finds text that is drawn over itself, as bold text or shadows are where a font has none. */
function createRepetition(): (piece: PlacedText) => boolean {
  const last = new Map<string, PlacedText>()
  return (piece) => {
    const { text, height } = piece
    if (text.trim() === '') return false
    const before = last.get(text)
    last.set(text, piece)
    if (before === undefined) return false
    const distance = Math.hypot(piece.x - before.x, piece.y - before.y)
    return Math.max(distance, Math.abs(height - before.height)) < height * 0.15
  }
}

/**
 * A piece without the letter that it begins with, where that is drawn over the end of the piece
 * before it. Bold text that is drawn letter by letter, each twice, is in pieces that overlap.
 */
function removeDrawnTwice(piece: PlacedText, before: PlacedText | undefined): PlacedText {
  const [letter = ''] = piece.text
  if (before === undefined || letter.trim() === '' || !before.text.endsWith(letter)) return piece
  if (Math.abs(piece.height - before.height) > before.height * 0.05) return piece
  const [along, across] = measureMove(before, piece)
  const overlap = along < 0 ? along + piece.width : before.width - along
  const size = before.height
  const least = size * (narrow.test(letter) ? 0.15 : 0.3)
  if (Math.abs(across) > size * 0.1 || overlap < least || overlap > size) return piece
  const [right, up] = piece.direction
  return {
    ...piece,
    text: halveNarrowPairs(piece.text.slice(letter.length)),
    x: piece.x + overlap * right,
    y: piece.y + overlap * up,
    width: Math.max(0, piece.width - overlap),
  }
}

const narrow = /[!'(),.:;Ifijlrt|-]/

/** Where each letter is drawn twice, pdf.js separates the wide ones, and leaves narrow ones in pairs. */
function halveNarrowPairs(text: string): string {
  return /^(?:([!'(),.:;Ifijlrt|-])\1| )*.?$/u.test(text) ? text.replaceAll(/(\S)\1/gu, '$1') : text
}

/** Text with the white space after it, which pdf.js leaves out where a form begins or ends. */
function addGap(before: PlacedText, piece: PlacedText): string {
  const { text } = before
  if (text.endsWith('\n') || piece.text.trim() === '') return text
  const [along, across] = measureMove(before, piece)
  const size = Math.max(before.height, piece.height)
  if (Math.abs(across) > size * 0.8) return `${text.trimEnd()}\n`
  const gap = Math.max(along - before.width, -along - piece.width)
  // text that is drawn over other text, such as a name on a line, does not go on with it
  const isOver = size > 0 && gap < -size && /^[\p{L}\p{N}]/u.test(piece.text)
  const isApart = gap > size * 0.15 || isOver
  return isApart && !/\s$/.test(text) && !/^\s/.test(piece.text) ? `${text} ` : text
}

/** The way from the start of a piece to that of the next one, along its line and above it. */
function measureMove(before: PlacedText, piece: PlacedText): readonly [number, number] {
  const [x, y] = [piece.x - before.x, piece.y - before.y]
  const [right, up] = before.direction
  return [x * right + y * up, y * right - x * up]
}

/** Smaller digits above or below the base line of the text before them, as such. */
function shiftPiece(piece: PlacedText, before: PlacedText | undefined): string {
  const { text, height } = piece
  if (before === undefined || height === 0 || height > before.height * 0.85) return text
  const rise = measureMove(before, piece)[1] / before.height
  if (rise > 0.2 && rise < 1) return shiftText(text, 1, before.text)
  return rise < -0.1 && rise > -0.5 ? shiftText(text, -1, before.text) : text
}
