import { parentPort } from 'node:worker_threads'
import { guardAllocations } from './allocation-guard.js'
import { countTokens } from './count-tokens.js'
import { extractText } from './extract-text.js'
import { TextParseError } from './text-parse-error.js'
import type { ParseAnswer, ParseRequest } from './worker-messages.js'

/** The worker thread of `createTextParser`: bytes in; text and tokens, or a code and a message, out. Keeps nothing. */
const post = (answer: ParseAnswer): void => parentPort?.postMessage(answer, [])

parentPort?.on('message', (request: ParseRequest) => {
  void answer(request.bytes).then(post)
})
post({ kind: 'ready' })

async function answer(bytes: Uint8Array): Promise<ParseAnswer> {
  try {
    const text = await guardAllocations(
      () => extractText(bytes),
      () => post({ kind: 'failed', code: 'too_complex', message: inflated, spent: true }),
    )
    return { kind: 'parsed', text, tokens: countTokens(text) }
  } catch (error) {
    const { code, message } = error instanceof TextParseError ? error : unknownFault
    return { kind: 'failed', code, message, spent: false }
  }
}

const inflated = 'A part of the file inflates to more memory than is allowed, as archive bombs do.'
const unknownFault = { code: 'corrupt', message: 'The file could not be read: its reader failed on it.' } as const
