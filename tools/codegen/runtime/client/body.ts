import type { OperationFacts } from './call.js'
import { isFileInput, openFile } from './files.js'
import { multipartBody, type PreparedBody } from './multipart.js'
import { serializeParameter } from './serialize.js'

/** The body of a call, in the media type that the contract names first; nothing when the input has none. */
export async function prepareBody(
  { id, body }: OperationFacts,
  input: Readonly<Record<string, unknown>>,
): Promise<PreparedBody | undefined> {
  if (body === undefined) return undefined
  const fields = body.flatten === 'fields' ? pick(input, body.fields ?? []) : undefined
  if (fields !== undefined && !body.required && Object.keys(fields).length === 0) return undefined
  const value = fields ?? input['body']
  if (value === undefined) {
    if (body.required) throw new TypeError(`${id}: the body is missing. Give it as the field "body".`)
    return undefined
  }
  const { contentType, encoding } = body
  if (isJson(contentType)) return { body: JSON.stringify(value), contentType }
  if (/^multipart\/form-data/i.test(contentType)) return multipartBody(asRecord(id, value), encoding)
  if (/^application\/x-www-form-urlencoded/i.test(contentType)) return { body: urlencoded(asRecord(id, value), encoding), contentType }
  return raw(value, contentType)
}

async function raw(value: unknown, contentType: string): Promise<PreparedBody> {
  if (typeof value === 'string') return { body: value, contentType }
  if (!isFileInput(value))
    return { body: value instanceof FormData || value instanceof URLSearchParams ? value : JSON.stringify(value), contentType }
  const file = await openFile(value, 'body')
  return { body: 'blob' in file ? file.blob : file.stream, contentType }
}

function urlencoded(fields: Readonly<Record<string, unknown>>, encoding: NonNullable<OperationFacts['body']>['encoding'] = {}): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      const { style = 'form', explode = style === 'form', contentType } = encoding[name] ?? {}
      const asJson = contentType !== undefined && isJson(contentType)
      return serializeParameter(
        { name, field: name, in: 'query', required: false, style, explode, ...(asJson && { mediaType: contentType }) },
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
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
  throw new TypeError(`${id}: the body is a form, so it must be an object of fields; found ${typeof value}.`)
}

function isJson(contentType: string): boolean {
  return /^(?:[^;]*[/+])?json\s*(?:;|$)/i.test(contentType)
}
