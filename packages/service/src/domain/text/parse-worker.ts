import { serveTasks } from '../../platform/workers/worker-task.js'
import { countTokens } from './count-tokens.js'
import { TextParseError } from './text-errors.js'
import type { ParsedText } from './text-parser.js'

/**
 * The text of a file, its tokens, and what was left out. Throws a TextParseError. Blocks the thread: run it in a
 * worker.
 */
export async function readDocument(bytes: Uint8Array): Promise<ParsedText> {
  // the readers take 20 MB, which a service that parses nothing saves
  const { extractDocument, ExtractTextError } = await import('@farebox/office-text')
  const { text, warnings } = await extractDocument(bytes).catch((error: unknown) => {
    throw error instanceof ExtractTextError ? new TextParseError(error.code, error.message) : error
  })
  return { text, tokens: countTokens(text), ...(warnings.length > 0 && { warnings }) }
}

/** The worker thread of `createTextParser`. */
serveTasks(({ bytes }) => readDocument(bytes))
