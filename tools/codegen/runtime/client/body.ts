import type { BodyFacts, OperationFacts, PreparedBody } from './call.js'
import { isFileInput, openFile } from './files.js'
import { InvalidInputError } from './invalid-input-error.js'
import { multipartBody } from './multipart.js'
import { serializeParameter } from './serialize.js'
import { isRecord, plainText } from './text.js'

type Fields = Readonly<Record<string, unknown>>

/** Takes the whole input as the body, if there are no parameters. It may be left out. */
export function takeInput(_operation: OperationFacts, { required }: BodyFacts, input: Fields): unknown {
  return required || Object.keys(input).length > 0 ? input : undefined
}

/** Takes all fields that are not parameters. An optional body without fields is left out. */
export function takeFields({ parameters }: OperationFacts, { required }: BodyFacts, input: Fields): unknown {
  const given = Object.entries(input).filter(
    ([name, value]) => value !== undefined && !parameters.some((parameter) => (parameter.field ?? parameter.name) === name),
  )
  return given.length > 0 || required ? Object.fromEntries(given) : undefined
}

/** Takes the field "body" as the whole body. */
export function takeBody({ id }: OperationFacts, { required }: BodyFacts, input: Fields): unknown {
  const value = Object.hasOwn(input, 'body') ? input['body'] : undefined
  if (value === undefined && required) throw new InvalidInputError(`${id}: the body is missing. Give it as the field "body".`)
  return value
}

/** Encodes JSON under the media type of the contract, which may be problem+json or the like. */
export function encodeJson(value: unknown, { contentType }: BodyFacts): PreparedBody {
  return { body: JSON.stringify(value), contentType }
}

/** Passes on what fetch can encode itself. */
export function encodeMultipart(value: unknown, body: BodyFacts, { id }: OperationFacts): PreparedBody | Promise<PreparedBody> {
  return isWritten(value) ? { body: value } : multipartBody(asRecord(id, value), body)
}

/** Passes on what fetch can encode itself. */
export function encodeForm(value: unknown, body: BodyFacts, { id }: OperationFacts): PreparedBody {
  return isWritten(value) ? { body: value } : { body: urlencoded(asRecord(id, value), body), contentType: body.contentType }
}

/** Sends a file as it is, with its own type if the contract offers a choice (`image/*`). */
export async function encodeRaw(
  value: unknown,
  { contentType: declared, files = [], alsoValues = [] }: BodyFacts,
  { id }: OperationFacts,
): Promise<PreparedBody> {
  if (isWritten(value)) return { body: value }
  const exact = declared.includes('*') ? undefined : declared
  if (isFileInput(value, files.length === 0 ? 'values' : alsoValues.length > 0 ? 'either' : 'files')) {
    const file = await openFile(value, 'body')
    const own = 'blob' in file ? file.blob.type : file.type
    return { body: 'blob' in file ? file.blob : file.stream, contentType: exact ?? (own || 'application/octet-stream') }
  }
  if (typeof value !== 'object') return { body: plainText(value), contentType: exact ?? 'text/plain;charset=UTF-8' }
  throw new InvalidInputError(
    `${id}: the body is ${declared}, so it must be a text or bytes; found an object. Write it as ${declared} first.`,
  )
}

/**
 * A list becomes one pair for each item and a record becomes JSON, unless the contract states
 * another style (OpenAPI 3.1.1, "Encoding the x-www-form-urlencoded Media Type").
 */
function urlencoded(fields: Fields, { encoding = {} }: BodyFacts): string {
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

function isWritten(value: unknown): value is FormData | URLSearchParams {
  return value instanceof FormData || value instanceof URLSearchParams
}

function asRecord(id: string, value: unknown): Fields {
  if (isRecord(value)) return value
  throw new InvalidInputError(
    `${id}: the body is a form, so it must be an object of fields; found ${Array.isArray(value) ? 'an array' : typeof value}.`,
  )
}

function isJson(contentType: string): boolean {
  return /^(?:[^;]*[/+])?json\s*(?:;|$)/i.test(contentType)
}
