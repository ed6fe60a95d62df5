import { readFile } from 'node:fs/promises'
import { getDocumentProxy } from 'unpdf'
import { ExtractTextError, type WarningCounter } from './findings.js'
import { shiftText } from './flow/shift-text.js'
import { type Budget, createCharacterBudget, type Limits } from './limits.js'

/**
 * The text of a PDF document, page by page, with blank lines between pages. The values of form
 * fields and the texts of annotations stand where the page shows them. A document that opens
 * without a password is read, and its permission bits are ignored. Throws `encrypted` for one that
 * needs a password, `corrupt` for one that cannot be read, and `no_text` for one whose pages are
 * pictures. Nothing is executed and nothing is fetched.
 */
export async function readPdf(
  bytes: Uint8Array,
  limits: Limits,
  warnings: WarningCounter,
): Promise<string> {
  const characters = createCharacterBudget(limits)
  try {
    // pdf.js detaches the buffer that it is given, and `slice` of a Buffer does not copy
    const document = await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      useSystemFonts: false,
      stopAtErrors: false,
      useWorkerFetch: false,
      BinaryDataFactory: CMapFiles,
      cMapUrl: cMapFolder.href,
      cMapPacked: true,
    })
    try {
      const pages: string[] = []
      for (let number = 1; number <= document.numPages; number += 1) {
        const text = await readPage(await document.getPage(number), characters, warnings)
        if (text === '') warnings.add('pages_without_text')
        else pages.push(text)
      }
      if (pages.length === 0) {
        throw new ExtractTextError(
          'no_text',
          'The PDF document has no text in it: its pages are empty or pictures. Run text recognition on it first, then send it again.',
        )
      }
      const attachments = (await document.getAttachments()) as object | null
      warnings.add('unread_parts', Object.keys(attachments ?? {}).length)
      return pages.join('\n\n')
    } finally {
      await document.destroy()
    }
  } catch (error) {
    throw toExtractTextError(error)
  }
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>

async function readPage(page: Page, characters: Budget, warnings: WarningCounter): Promise<string> {
  const content = await page.getTextContent()
  const placed: PlacedText[] = []
  for (const item of content.items) {
    if (!('str' in item)) continue
    characters.spend(item.str.length + 1)
    const { str, width, height } = item
    const [, , , , x = 0, y = 0] = item.transform as number[]
    const before = placed.at(-1)
    const shift = before === undefined ? 0 : findShift({ y, height }, before)
    const shown = shift === 0 ? str : shiftText(str, shift, before?.text ?? '')
    placed.push({ text: item.hasEOL ? `${shown}\n` : shown, x, y, width, height })
  }
  const annotations = (await page.getAnnotations()) as Annotation[]
  countUnread(annotations, warnings)
  const notes = readNotes(annotations)
  for (const { text } of notes) characters.spend(text.length + 1)
  page.cleanup()
  return insertNotes(placed, notes).trim()
}

/** The predefined CMaps of East Asian fonts, which a document does not have to embed. */
const cMapFolder = new URL('../cmaps/', import.meta.url)

/** Provides the files that pdf.js requests by name. */
class CMapFiles {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    if (kind !== 'cMapUrl' || !/^[\w-]+\.bcmap$/.test(filename))
      throw new Error(`There are no files of the kind ${kind}.`)
    return new Uint8Array(await readFile(new URL(filename, cMapFolder)))
  }
}

function toExtractTextError(error: unknown): ExtractTextError {
  if (error instanceof ExtractTextError) return error
  const name = error instanceof Error ? error.name : ''
  if (name === 'PasswordException') {
    return new ExtractTextError(
      'encrypted',
      'The file is a PDF document protected by a password. Save it without one and send it again.',
    )
  }
  return new ExtractTextError(
    'corrupt',
    'The file begins as a PDF document but cannot be read as one: it is cut off or damaged.',
  )
}

/** A piece of the text of a page, with its place in the units of the page. */
type PlacedText = {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Whether smaller digits stand above (1) or below (-1) the base line of the text before them. */
function findShift({ y, height }: Pick<PlacedText, 'y' | 'height'>, before: PlacedText): number {
  if (height === 0 || height > before.height * 0.85) return 0
  const rise = (y - before.y) / before.height
  if (rise > 0.2 && rise < 1) return 1
  return rise < -0.1 && rise > -0.5 ? -1 : 0
}

/** An annotation as pdf.js describes it. */
type Annotation = {
  readonly subtype?: string
  readonly rect?: readonly number[]
  readonly annotationFlags?: number
  readonly fieldType?: string
  readonly fieldValue?: unknown
  readonly checkBox?: boolean
  readonly radioButton?: boolean
  readonly pushButton?: boolean
  readonly password?: boolean
  readonly exportValue?: string
  readonly buttonValue?: string
  readonly options?: readonly { readonly exportValue: unknown; readonly displayValue: unknown }[]
  readonly textContent?: readonly string[]
  readonly contentsObj?: { readonly str?: string }
  readonly hasAppearance?: boolean
}

/** The flags Hidden and NoView (ISO 32000-1, 12.5.3). */
const invisible = 2 | 32

type Note = { readonly text: string; readonly rect: readonly number[] }

/** Annotations whose contents are drawn on the page. Others open a window on demand. */
const drawn: ReadonlySet<string> = new Set(['FreeText', 'Stamp', 'Line', 'Watermark'])

/**
 * The texts that annotations show: values of form fields (ISO 32000-1, 12.7.4) and free text. The
 * boxes of checks and choices are shown as ☒ and ☐.
 */
function readNotes(annotations: readonly Annotation[]): readonly Note[] {
  return annotations
    .filter(({ annotationFlags = 0 }) => (annotationFlags & invisible) === 0)
    .map((annotation) => ({
      text: annotation.subtype === 'Widget' ? showField(annotation) : showNote(annotation),
      rect: annotation.rect ?? [],
    }))
    .filter(({ text }) => text.trim() !== '')
}

/** Annotations without text of their own: they open something, or belong to another annotation. */
const silent: ReadonlySet<string> = new Set(['Widget', 'Link', 'Popup'])

/** Counts notes that open on demand, and stamps and buttons, which are pictures. */
function countUnread(annotations: readonly Annotation[], warnings: WarningCounter): void {
  for (const annotation of annotations) {
    const { subtype = '', annotationFlags = 0, contentsObj, hasAppearance } = annotation
    if ((annotationFlags & invisible) !== 0) continue
    const isPicture = subtype === 'Stamp' || annotation.pushButton === true
    if (isPicture && hasAppearance === true && (annotation.textContent ?? []).length === 0)
      warnings.add('images_without_text')
    const note = contentsObj?.str ?? ''
    if (!silent.has(subtype) && !drawn.has(subtype) && note.trim() !== '') warnings.add('comments')
  }
}

function showNote({ subtype, textContent, contentsObj }: Annotation): string {
  if (textContent !== undefined && textContent.length > 0) return textContent.join('\n')
  return drawn.has(subtype ?? '') ? (contentsObj?.str ?? '') : ''
}

function showField(field: Annotation): string {
  const { fieldValue, textContent } = field
  if (field.password === true) return ''
  if (field.checkBox === true || field.radioButton === true) {
    const on = field.exportValue ?? field.buttonValue
    const isOn = typeof fieldValue === 'string' && fieldValue !== 'Off' && fieldValue === on
    return isOn ? '☒' : '☐'
  }
  if (field.pushButton === true) return (textContent ?? []).join(' ')
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter(
    (value): value is string => typeof value === 'string' && value !== '',
  )
  const shown = values.map((value) => {
    const option = field.options?.find(({ exportValue }) => exportValue === value)
    return typeof option?.displayValue === 'string' ? option.displayValue : value
  })
  return shown.length > 0 ? shown.join(', ') : (textContent ?? []).join('\n')
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
