import { readFile } from 'node:fs/promises'
import { getDocumentProxy } from 'unpdf'
import { ExtractTextError, type WarningCounter } from './findings.js'
import { createCharacterBudget, type Limits } from './limits.js'
import { createGlyphReader } from './pdf/glyph-names.js'
import { readHiddenLayers } from './pdf/layers.js'
import { readPage } from './pdf/page.js'
import { createSymbolReader } from './pdf/symbols.js'

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
      // no font is loaded, but pdf.js then states the names of fonts that are not embedded
      useSystemFonts: true,
      fontExtraProperties: true,
      stopAtErrors: false,
      useWorkerFetch: false,
      BinaryDataFactory: CMapFiles,
      cMapUrl: cMapFolder.href,
      cMapPacked: true,
      // pictures are not read
      maxImageSize: 0,
    })
    try {
      const layers = await readHiddenLayers(document)
      const readers = [createGlyphReader(warnings), createSymbolReader(warnings)]
      const pages: string[] = []
      let damage: unknown
      for (let number = 1; number <= document.numPages; number += 1) {
        try {
          const page = await document.getPage(number)
          const text = await readPage(page, characters, warnings, readers, layers)
          if (text === '') warnings.add('pages_without_text')
          else pages.push(text)
        } catch (error) {
          if (error instanceof ExtractTextError) throw error
          damage = error
          warnings.add('missing_parts')
        }
      }
      if (pages.length === 0) {
        if (damage !== undefined) throw damage
        throw new ExtractTextError(
          'no_text',
          'The PDF document has no text in it: its pages are empty or pictures. Run text recognition on it first, then send it again.',
        )
      }
      if (await isDynamicForm(document, pages))
        throw new ExtractTextError(
          'unsupported_type',
          'The PDF document is a dynamic XFA form: its only page says that Adobe Reader is needed. Open it there, print it to a new PDF document and send that.',
        )
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

/** Whether the page of a document only stands for a form that Adobe Reader creates from XML. */
async function isDynamicForm(
  document: Awaited<ReturnType<typeof getDocumentProxy>>,
  pages: readonly string[],
): Promise<boolean> {
  if (document.numPages > 1 || pages.every((page) => !/\badobe\b/i.test(page))) return false
  const { info } = (await document.getMetadata()) as {
    readonly info: { readonly IsXFAPresent?: boolean; readonly IsAcroFormPresent?: boolean }
  }
  return info.IsXFAPresent === true && info.IsAcroFormPresent !== true
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
