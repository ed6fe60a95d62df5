import { fileFailure, invalidField } from '../contract/failures.js'
import { textModel } from '../domain/text/text-model.js'
import type { Handler } from '../contract/handler.js'

/** The text of a document. It is read in memory, and nothing of it is kept. */
export const parseText: Handler<'parseText'> = async ({ input, callerId, cost, services }) => {
  const { file, response_format } = input
  if (!(file instanceof Uint8Array)) return invalidField('file', 'Expected a file, found a text.')
  try {
    const { text, tokens } = await services.textParser.parse(file, callerId, { cost })
    return {
      status: 200,
      ...(response_format === 'text' ? { text } : { json: { text, tokens } }),
      modelId: textModel,
    }
  } catch (error) {
    return fileFailure(error, 'file', 'PARSER_OVERLOADED')
  }
}
