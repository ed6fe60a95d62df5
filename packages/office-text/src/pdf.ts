import { readFile } from 'node:fs/promises'
import { getDocumentProxy } from 'unpdf'
import { type Budget, characterBudget, type Limits } from './limits.js'
import { ExtractTextError } from './extract-text-error.js'
import { type Annotation, insertNotes, type PlacedText, readNotes } from './pdf-notes.js'
import type { WarningCounter } from './warnings.js'

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
  const characters = characterBudget(limits)
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
        const text = await readPage(await document.getPage(number), characters)
        if (text === '') warnings.add('pages_without_text')
        else pages.push(text)
      }
      if (pages.length === 0) {
        throw new ExtractTextError(
          'no_text',
          'The PDF document has no text in it: its pages are empty or pictures. Recognise the text first, then send it again.',
        )
      }
      const attachments = (await document.getAttachments()) as object | null
      warnings.add('unread_parts', Object.keys(attachments ?? {}).length)
      return pages.join('\n\n')
    } finally {
      await document.destroy()
    }
  } catch (error) {
    throw explained(error)
  }
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>

async function readPage(page: Page, characters: Budget): Promise<string> {
  const content = await page.getTextContent()
  const placed: PlacedText[] = []
  for (const item of content.items) {
    if (!('str' in item)) continue
    characters.spend(item.str.length + 1)
    const [, , , , x = 0, y = 0] = item.transform as number[]
    placed.push({ text: item.hasEOL ? `${item.str}\n` : item.str, x, y, width: item.width })
  }
  const notes = readNotes((await page.getAnnotations()) as Annotation[])
  for (const { text } of notes) characters.spend(text.length + 1)
  page.cleanup()
  return insertNotes(placed, notes).trim()
}

/** The predefined CMaps of East Asian fonts, which a document does not have to embed. */
const cMapFolder = new URL('../cmaps/', import.meta.url)

/** Gives pdf.js the files that it asks for by name. */
class CMapFiles {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    if (kind !== 'cMapUrl' || !/^[\w-]+\.bcmap$/.test(filename))
      throw new Error(`No file of the kind ${kind} is at hand.`)
    return new Uint8Array(await readFile(new URL(filename, cMapFolder)))
  }
}

function explained(error: unknown): ExtractTextError {
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
