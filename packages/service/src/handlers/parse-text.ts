import { fieldFault, refusal } from '../http/http-error.js'
import { TextParseError } from '../text/text-parse-error.js'
import type { Handler } from './handler.js'

/** The text of a document, worked on in memory. Nothing of the document is kept. */
export const parseText: Handler<'parseText'> = async ({ input, services }) => {
  const { file, response_format } = input
  if (!(file instanceof Uint8Array)) throw fieldFault('file', 'Expected a file, found a text.')
  const { text, tokens } = await parse(services.textParser.parse(file))
  return { ...(response_format === 'text' ? { text } : { json: { text, tokens } }), modelId: 'text-parser' }
}

async function parse<T>(parsed: Promise<T>): Promise<T> {
  try {
    return await parsed
  } catch (error) {
    if (!(error instanceof TextParseError)) throw error
    if (error.code === 'overloaded') throw refusal(429, error.message, 'PARSER_OVERLOADED', { 'retry-after': '5' })
    throw fieldFault('file', error.message)
  }
}
