import type { WarningCounter } from '../findings.js'
import type { Budget } from '../limits.js'
import { type Layers, removeHiddenItems } from './layers.js'
import { type Annotation, countUnread, type Note, readNotes } from './notes.js'
import {
  type ItemReader,
  type Page,
  type PlacedText,
  readPlacedText,
  type TextItem,
} from './placed-text.js'
import { replaceForms } from './presentation-forms.js'
import { orderItems } from './right-to-left.js'
import { joinSlantedText } from './slanted-text.js'
import { joinVerticalText } from './vertical-text.js'
import { joinSpacedLetters } from './spaced-letters.js'

/** The text of a page, with its notes where the page shows them. */
export async function readPage(
  page: Page,
  characters: Budget,
  warnings: WarningCounter,
  readers: readonly ItemReader[],
  layers?: Layers,
): Promise<string> {
  const { items, styles } = await page.getTextContent({ disableNormalization: true })
  const sized = removeTextWithoutSize(replaceForms(items), warnings)
  const seen = layers === undefined ? sized : await removeHiddenItems(page, sized, layers, warnings)
  let shown = await joinSpacedLetters(page, seen)
  for (const read of readers) shown = await read(page, shown, styles)
  const placed = readPlacedText(
    orderItems(joinSlantedText(joinVerticalText(shown))),
    styles,
    characters,
  )
  const annotations = (await page.getAnnotations()) as Annotation[]
  countUnread(annotations, warnings)
  const notes = readNotes(annotations).map((note) => ({ ...note, rect: turnRect(note.rect, page) }))
  for (const { text } of notes) characters.spend(text.length + 1)
  page.cleanup()
  const turned = placed.map((piece) => {
    const [x, y] = turn(piece.x, piece.y, page)
    return { ...piece, x, y }
  })
  return insertNotes(turned, notes).trim().replaceAll(nameOfGod, 'الله')
}

/** This form is drawn with its first letter or after it. */
const nameOfGod = /\u0627?\ufdf2/g

/** Text of the size 0 is not shown. */
function removeTextWithoutSize(
  items: readonly TextItem[],
  warnings: WarningCounter,
): readonly TextItem[] {
  let wasHidden = false
  return items.filter((item) => {
    if (!('str' in item) || item.str === '') return true
    const scale = (item.transform as readonly number[]).slice(0, 4)
    // the gaps around it have no width
    const isHidden = scale.every((value) => value === 0) || !Number.isFinite(item.width)
    if (isHidden && !wasHidden) warnings.add('hidden_text')
    wasHidden = isHidden
    return !isHidden
  })
}

/** A place on a page that is shown turned by a multiple of 90 degrees. */
function turn(x: number, y: number, { rotate }: Page): readonly [x: number, y: number] {
  const quarters = (((rotate / 90) % 4) + 4) % 4
  if (quarters === 1) return [y, -x]
  if (quarters === 2) return [-x, -y]
  return quarters === 3 ? [-y, x] : [x, y]
}

function turnRect(rect: readonly number[], page: Page): readonly number[] {
  const [left = 0, bottom = 0, right = 0, top = 0] = rect
  const [x1, y1] = turn(left, bottom, page)
  const [x2, y2] = turn(right, top, page)
  return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)]
}

/**
 * Puts each note behind the text to the left of it on its line, or else before the text close to
 * the right of it, and the others at the end.
 */
function insertNotes(placed: readonly PlacedText[], notes: readonly Note[]): string {
  const before = new Map<number, Note[]>()
  const behind = new Map<number, Note[]>()
  const rest: Note[] = []
  for (const note of notes) {
    const left = findLeft(placed, note.rect)
    const right = left === undefined ? findRight(placed, note.rect) : undefined
    const at = left ?? right
    if (at === undefined) rest.push(note)
    else {
      const side = left === undefined ? before : behind
      side.set(at, [...(side.get(at) ?? []), note])
    }
  }
  const list = (some: readonly Note[] = []): readonly string[] =>
    some.toSorted(compareByPlace).map(({ text }) => text)
  const pieces = placed.map(({ text }, at) => {
    const [first, then] = [list(before.get(at)), list(behind.get(at))]
    const shown = [...first, then.length === 0 ? text : text.trimEnd(), ...then].join(' ')
    if (then.length === 0) return shown
    const isSpaced = /^\s/.test(placed[at + 1]?.text ?? '')
    return shown + (text.endsWith('\n') ? '\n' : isSpaced ? '' : ' ')
  })
  return [pieces.join('').trimEnd(), ...list(rest)].filter((text) => text !== '').join('\n')
}

/** From top to bottom and from left to right. */
function compareByPlace(one: Note, other: Note): number {
  const [x1 = 0, , , y1 = 0] = one.rect
  const [x2 = 0, , , y2 = 0] = other.rect
  return Math.abs(y1 - y2) > 3 ? y2 - y1 : x1 - x2
}

/** The last text that ends left of a rectangle, with its base line within its height. */
function findLeft(placed: readonly PlacedText[], rect: readonly number[]): number | undefined {
  const [left = 0] = rect
  let found: number | undefined
  let end = -Infinity
  placed.forEach((piece, at) => {
    const { x, width } = piece
    if (!isBeside(piece, rect) || x + width > left + 2 || x + width < end) return
    end = x + width
    found = at
  })
  return found
}

/** The first text that begins right of a rectangle and close to it, such as the label of a box. */
function findRight(placed: readonly PlacedText[], rect: readonly number[]): number | undefined {
  const [, bottom = 0, right = 0, top = 0] = rect
  let found: number | undefined
  let start = right + (top - bottom) * 2
  placed.forEach((piece, at) => {
    if (!isBeside(piece, rect) || piece.x < right - 2 || piece.x >= start) return
    start = piece.x
    found = at
  })
  return found
}

/** Whether text has its base line within the height of a rectangle. */
function isBeside({ text, y }: PlacedText, [, bottom = 0, , top = 0]: readonly number[]): boolean {
  return text.trim() !== '' && y >= bottom - 2 && y <= top
}
