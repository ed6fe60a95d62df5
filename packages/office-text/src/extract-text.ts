import { detectKind, type Kind } from './detect-kind.js'
import {
  ExtractTextError,
  createWarningCounter,
  type Warning,
  type WarningCounter,
} from './findings.js'
import { createCharacterBudget, withDefaults, type Limits } from './limits.js'
import { readOffice } from './office.js'
import { readPdf } from './pdf.js'
import { decodePlain } from './plain.js'

/** The text of a file, and what was left out of it. */
export type ExtractedText = {
  readonly text: string
  /** Empty if nothing was left out. */
  readonly warnings: readonly Warning[]
}

/**
 * The text of a PDF, DOCX, PPTX, XLSX or plain text file, and warnings of what was left out of it.
 * The content alone determines the type; file names and media types are not used. The bytes are not
 * changed.
 *
 * - The text of Office documents and PDF is trimmed. Plain text keeps its white space.
 * - The text is never empty and never longer than `limits.characters`.
 * - Nothing in the file is executed, and nothing is fetched.
 *
 * Rejects with `ExtractTextError` for any bytes without text, and with a RangeError for a limit
 * that is negative or not a number.
 *
 * The work blocks the thread. For untrusted files, run it in a worker thread with a time limit and
 * a heap limit. Within a PDF, `limits` bounds the text only: pdf.js inflates streams on its own.
 */
export async function extractDocument(
  bytes: Uint8Array,
  limits: Partial<Limits> = {},
): Promise<ExtractedText> {
  const all = withDefaults(limits)
  if (bytes.length === 0) throw new ExtractTextError('empty', 'The file is empty: it has no bytes.')
  const warnings = createWarningCounter()
  const text = await readers[detectKind(bytes)](bytes, all, warnings)
  if (text.trim() === '') throw new ExtractTextError('no_text', 'The file contains no text.')
  // Readers stop early. The separators that they add between parts are counted here.
  createCharacterBudget(all).spend(text.length)
  return { text, warnings: warnings.list() }
}

/** The text of `extractDocument`, for a caller who does not need its warnings. */
export async function extractText(
  bytes: Uint8Array,
  limits: Partial<Limits> = {},
): Promise<string> {
  return (await extractDocument(bytes, limits)).text
}

const readers: {
  readonly [K in Kind]: (
    bytes: Uint8Array,
    limits: Limits,
    warnings: WarningCounter,
  ) => string | Promise<string>
} = {
  pdf: readPdf,
  zip: (bytes, limits, warnings) => readOffice(bytes, limits, warnings).trim(),
  plain: (bytes, _, warnings) => decodePlain(bytes, warnings),
}
