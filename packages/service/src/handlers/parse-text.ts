import { fieldFault } from '../http/http-error.js'
import { fileRefusal } from '../contract/file-refusal.js'
import type { Handler } from '../contract/handler.js'

/** The text of a document, worked on in memory. Nothing of the document is kept. */
export const parseText: Handler<'parseText'> = async ({ input, callerId, services }) => {
  const { file, response_format } = input
  if (!(file instanceof Uint8Array)) throw fieldFault('file', 'Expected a file, found a text.')
  const { text, tokens } = await services.textParser.parse(file, callerId).catch((error: unknown) => {
    throw fileRefusal(error, 'file', 'PARSER_OVERLOADED')
  })
  return { ...(response_format === 'text' ? { text } : { json: { text, tokens } }), modelId: 'text-parser' }
}
