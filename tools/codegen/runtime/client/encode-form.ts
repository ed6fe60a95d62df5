import type { BodyFacts, OperationFacts, PreparedBody } from './call.js'
import { InvalidInputError } from './invalid-input-error.js'
import { createMultipartBody } from './multipart.js'
import { serializeParameter } from './serialize.js'
import { isJson, isRecord } from './text.js'

type Fields = Readonly<Record<string, unknown>>

/** Passes on what fetch can encode itself. */
export function encodeMultipart(
  value: unknown,
  body: BodyFacts,
  { id }: OperationFacts,
): PreparedBody | Promise<PreparedBody> {
  return isWritten(value) ? { body: value } : createMultipartBody(requireRecord(id, value), body)
}

/** Passes on what fetch can encode itself. */
export function encodeForm(value: unknown, body: BodyFacts, { id }: OperationFacts): PreparedBody {
  return isWritten(value)
    ? { body: value }
    : { body: encodeFields(requireRecord(id, value), body), contentType: body.contentType }
}

/**
 * An array becomes one pair for each item and a record becomes JSON, unless the contract states
 * another style (OpenAPI 3.1.1, "Encoding the x-www-form-urlencoded Media Type").
 */
function encodeFields(fields: Fields, { encoding = {} }: BodyFacts): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      const { style, explode, allowReserved, contentType } = encoding[name] ?? {}
      const styled = style !== undefined || explode !== undefined || allowReserved !== undefined
      const asJson = !styled && (contentType === undefined ? isRecord(value) : isJson(contentType))
      return serializeParameter(
        {
          name,
          in: 'query',
          style: style ?? 'form',
          explode: explode ?? (style ?? 'form') === 'form',
          ...(allowReserved !== undefined && { allowReserved }),
          ...(asJson && { mediaType: 'application/json' }),
        },
        value,
      )
    })
    .filter((pair) => pair !== undefined)
    .join('&')
    .replaceAll('%20', '+')
}

/** Whether fetch can encode a value itself. */
export function isWritten(value: unknown): value is FormData | URLSearchParams {
  return value instanceof FormData || value instanceof URLSearchParams
}

function requireRecord(id: string, value: unknown): Fields {
  if (isRecord(value)) return value
  throw new InvalidInputError(
    `${id}: the body is a form, so it must be an object of fields; found ${Array.isArray(value) ? 'an array' : typeof value}.`,
  )
}
