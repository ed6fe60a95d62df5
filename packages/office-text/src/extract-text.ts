import { detectKind, type Kind } from './detect-kind.js'
import { defaultLimits, type Limits } from './limits.js'
import { readOffice } from './office.js'
import { readPdf } from './pdf.js'
import { readPlain } from './plain.js'
import { ExtractTextError } from './extract-text-error.js'

/**
 * The text of a PDF, DOCX, PPTX, XLSX or plain text file, told apart by content alone (interface specification, POST
 * /augment/text-parser). The text of Office documents and PDF begins and ends without white space; plain text stays as
 * it is. Throws `ExtractTextError` and nothing else for any bytes. Blocks the thread: run it in a worker
 * with limits on time and memory.
 */
export async function extractText(bytes: Uint8Array, limits: Partial<Limits> = {}): Promise<string> {
  if (bytes.length === 0) throw new ExtractTextError('empty', 'The file is empty: it has no bytes.')
  const text = await readers[detectKind(bytes)](bytes, { ...defaultLimits, ...limits })
  if (text.trim() === '') throw new ExtractTextError('no_text', 'The file has no text in it.')
  return text
}

const readers: { readonly [K in Kind]: (bytes: Uint8Array, limits: Limits) => string | Promise<string> } = {
  pdf: readPdf,
  zip: (bytes, limits) => readOffice(bytes, limits).trim(),
  plain: readPlain,
}
