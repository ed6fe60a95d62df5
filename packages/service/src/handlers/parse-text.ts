import { toFileFailure, invalidField, type ResponseHeaders } from '../contract/failures.js'
import type { Handler } from '../contract/handler.js'
import { textModel } from '../domain/models/catalogue.js'
import type { ParseWarning } from '../domain/text/text-parser.js'

/** The text of a document. It is read in memory, and nothing is kept. */
export const parseText: Handler<'parseText'> = async ({ input, callerId, cost, services }) => {
  const { file, response_format } = input
  if (!(file instanceof Uint8Array)) return invalidField('file', 'Expected a file, found a string.')
  try {
    const {
      text,
      tokens,
      warnings = [],
    } = await services.textParser.parse(file, callerId, { cost })
    if (response_format === 'text')
      return { status: 200, text, headers: createWarningHeader(warnings), modelId: textModel }
    const json = { text, tokens, ...(warnings.length > 0 && { warnings: [...warnings] }) }
    return { status: 200, json, modelId: textModel }
  } catch (error) {
    return toFileFailure(error, 'file', 'PARSER_OVERLOADED')
  }
}

/** A dictionary of RFC 9651. */
function createWarningHeader(warnings: readonly ParseWarning[]): ResponseHeaders {
  if (warnings.length === 0) return {}
  return { 'parse-warnings': warnings.map(({ code, count }) => `${code}=${count}`).join(', ') }
}
