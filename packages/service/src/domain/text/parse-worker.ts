import { extractDocument, ExtractTextError } from '@farebox/office-text'
import { serveTasks } from '../../platform/workers/worker-task.js'
import { countTokens, loadEncoding } from './count-tokens.js'
import { TextParseError } from './text-errors.js'
import type { ParsedText } from './text-parser.js'

/**
 * The text of a file, its tokens, and what was left out. Throws a TextParseError. Blocks the thread: run it in a
 * worker.
 */
export async function readDocument(bytes: Uint8Array): Promise<ParsedText> {
  const { text, warnings } = await extractDocument(bytes).catch((error: unknown) => {
    throw error instanceof ExtractTextError ? new TextParseError(error.code, error.message) : error
  })
  return { text, tokens: countTokens(text), ...(warnings.length > 0 && { warnings }) }
}

/** The worker thread of `createTextParser`. */
loadEncoding()
serveTasks(({ bytes }) => readDocument(bytes))
