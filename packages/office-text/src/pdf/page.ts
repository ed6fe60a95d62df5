import type { getDocumentProxy } from 'unpdf'
import type { WarningCounter } from '../findings.js'
import type { Budget } from '../limits.js'
import { type Annotation, countUnread, type Note, readNotes } from './notes.js'
import { type PlacedText, readPlacedText } from './placed-text.js'

export type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>

/** The text of a page, with its notes where the page shows them. */
export async function readPage(
  page: Page,
  characters: Budget,
  warnings: WarningCounter,
): Promise<string> {
  const placed = readPlacedText(await page.getTextContent(), characters)
  const annotations = (await page.getAnnotations()) as Annotation[]
  countUnread(annotations, warnings)
  const notes = readNotes(annotations)
  for (const { text } of notes) characters.spend(text.length + 1)
  page.cleanup()
  return insertNotes(placed, notes).trim()
}

/** Puts each note behind the text to the left of it on its line, and the others at the end. */
function insertNotes(placed: readonly PlacedText[], notes: readonly Note[]): string {
  const behind = new Map<number, Note[]>()
  const rest: Note[] = []
  for (const note of notes) {
    const at = findNeighbor(placed, note.rect)
    if (at === undefined) rest.push(note)
    else behind.set(at, [...(behind.get(at) ?? []), note])
  }
  const pieces = placed.map(({ text }, at) => {
    const here = (behind.get(at) ?? []).toSorted(compareByPlace).map((note) => note.text)
    if (here.length === 0) return text
    const end = text.endsWith('\n') ? '\n' : ' '
    return [text.trimEnd(), ...here].join(' ') + end
  })
  const last = rest.toSorted(compareByPlace).map(({ text }) => text)
  return [pieces.join('').trimEnd(), ...last].filter((text) => text !== '').join('\n')
}

/** From top to bottom and from left to right. */
function compareByPlace(one: Note, other: Note): number {
  const [x1 = 0, , , y1 = 0] = one.rect
  const [x2 = 0, , , y2 = 0] = other.rect
  return Math.abs(y1 - y2) > 3 ? y2 - y1 : x1 - x2
}

/** The last text that ends left of a rectangle, with its base line within its height. */
function findNeighbor(placed: readonly PlacedText[], rect: readonly number[]): number | undefined {
  const [left = 0, bottom = 0, , top = 0] = rect
  let found: number | undefined
  let end = -Infinity
  placed.forEach(({ text, x, y, width }, at) => {
    if (text.trim() === '' || y < bottom - 2 || y > top || x + width > left + 2) return
    if (x + width < end) return
    end = x + width
    found = at
  })
  return found
}
