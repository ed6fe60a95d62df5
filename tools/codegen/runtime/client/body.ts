import type { BodyFacts, OperationFacts } from './call.js'
import { isFileInput, openFile } from './files.js'
import { InvalidInputError } from './invalid-input-error.js'
import { multipartBody, type PreparedBody } from './multipart.js'
import { plainText, serializeParameter } from './serialize.js'

/** The body of a call, in the media type that the contract names first; nothing when the input has none. */
export async function prepareBody(
  { id, body, maxFileBytes }: OperationFacts,
  input: Readonly<Record<string, unknown>>,
): Promise<PreparedBody | undefined> {
  if (body === undefined) return undefined
  const fields = body.flatten === 'fields' ? pick(input, body.fields ?? []) : undefined
  if (fields !== undefined && !body.required && Object.keys(fields).length === 0) return undefined
  const value = fields ?? (Object.hasOwn(input, 'body') ? input['body'] : undefined)
  if (value === undefined) {
    if (body.required) throw new InvalidInputError(`${id}: the body is missing. Give it as the field "body".`)
    return undefined
  }
  const { contentType } = body
  if (isJson(contentType)) return { body: JSON.stringify(value), contentType }
  // fetch itself knows how these two are written
  if (value instanceof FormData || value instanceof URLSearchParams) return { body: value }
  if (/^multipart\/form-data/i.test(contentType))
    return multipartBody(asRecord(id, value), { ...body, ...(maxFileBytes && { maxFileBytes }) })
  if (/^application\/x-www-form-urlencoded/i.test(contentType)) return { body: urlencoded(asRecord(id, value), body), contentType }
  return raw(id, value, body)
}

/** A body that goes as it is. Of a choice such as `image/*` the type of the bytes themselves is sent. */
async function raw(id: string, value: unknown, { contentType: declared, files = [] }: BodyFacts): Promise<PreparedBody> {
  const exact = declared.includes('*') ? undefined : declared
  if (isFileInput(value, files.includes('body'))) {
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
 * A list is a pair for each item and a record is JSON, unless the contract says in which style they go (OpenAPI 3.1.1,
 * "Encoding the x-www-form-urlencoded Media Type").
 */
function urlencoded(fields: Readonly<Record<string, unknown>>, { encoding = {} }: BodyFacts): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      const { style, explode, allowReserved, contentType } = encoding[name] ?? {}
      const styled = style !== undefined || explode !== undefined || allowReserved !== undefined
      const asJson = !styled && (contentType === undefined ? isRecord(value) : isJson(contentType))
      return serializeParameter(
        {
          name,
          field: name,
          in: 'query',
          required: false,
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

function pick(input: Readonly<Record<string, unknown>>, fields: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(input, field) && input[field] !== undefined).map((field) => [field, input[field]]),
  )
}

function asRecord(id: string, value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value
  throw new InvalidInputError(
    `${id}: the body is a form, so it must be an object of fields; found ${Array.isArray(value) ? 'an array' : typeof value}.`,
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

function isJson(contentType: string): boolean {
  return /^(?:[^;]*[/+])?json\s*(?:;|$)/i.test(contentType)
}
