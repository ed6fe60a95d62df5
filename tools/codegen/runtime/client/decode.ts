import type { ResponseReaders, OperationFacts } from './call.js'
import { formatName } from './format-name.js'
import { UnexpectedResponseError } from './unexpected-response-error.js'

export type DecodedResponse =
  | { readonly status: number; readonly data: unknown; readonly response: Response }
  | { readonly status: number; readonly error: unknown; readonly response: Response }

/**
 * Reads a response as the contract declares it for its status. Throws `UnexpectedResponseError` for
 * any other response, and for a body that breaks off. An abort during the read is passed on
 * unchanged. JSON, text and what is not declared are read up to `maxBytes`. Declared bytes are not
 * read here and have no limit.
 */
export async function decode(
  operation: OperationFacts,
  response: Response,
  // 64 MiB
  maxBytes: number = 2 ** 26,
  signal?: AbortSignal,
): Promise<DecodedResponse> {
  const { status } = response
  const readers = operation.responses[status] ?? operation.otherwise?.(operation.responses, status)
  const found = readMediaType(response)
  const read = readers?.find(([type, , fits]) => type === found || fits?.(type, found))?.[1]
  if (read === undefined)
    throw await createUndeclaredError(operation, response, readers, found, maxBytes)
  const value = await read(operation, response, maxBytes, signal)
  return { status, [response.ok ? 'data' : 'error']: value, response } as DecodedResponse
}

/** Reads JSON. Its data may be secret, such as a new key, so no error here quotes it. */
export async function readJson(
  operation: OperationFacts,
  response: Response,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<unknown> {
  const text = await readString(operation, response, maxBytes, signal)
  try {
    return JSON.parse(text)
  } catch {
    // the parser's message would quote some of it
    throw text.trim()
      ? new UnexpectedResponseError(
          operation,
          'malformed_json',
          response,
          'is broken JSON',
          response.ok ? '' : text,
        )
      : new UnexpectedResponseError(operation, 'empty_body', response, `is empty${hint}`)
  }
}

const hint = '; the option unexpected accepts it'

/** Content-Length counts the encoded body, so it says nothing about one with a Content-Encoding. */
export async function readString(
  operation: OperationFacts,
  response: Response,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<string> {
  const { headers } = response
  const length = headers.has('content-encoding')
    ? NaN
    : Number(headers.get('content-length') ?? NaN)
  const { text, size, broken } = await readText(response, length > maxBytes ? 0 : maxBytes)
  // a broken connection is a TypeError, in workerd an Error; an abort or a timeout has another name
  if (broken)
    throw signal?.aborted || !/^(Type)?Error$/.test(broken.name)
      ? broken
      : new UnexpectedResponseError(operation, 'incomplete_body', response, 'broke off', '', broken)
  if (size > maxBytes || length > maxBytes)
    throw new UnexpectedResponseError(
      operation,
      'too_large',
      response,
      `has more than ${maxBytes} bytes`,
    )
  if (length >= 0 && size !== length)
    throw new UnexpectedResponseError(
      operation,
      'incomplete_body',
      response,
      `has ${size} bytes instead of ${length}`,
    )
  return text
}

/** The usual response. */
export const json: ResponseReaders = [['application/json', readJson, isJson]]

/** The result of a response of bytes is the Response itself. */
export function readBytes(_operation: OperationFacts, response: Response): Response {
  return response
}

/** A response without a body: anything that is sent anyway is not read, whatever its type. */
export const nothing: ResponseReaders = [['', cancel, () => true]]

async function cancel(_operation: OperationFacts, { body }: Response): Promise<void> {
  await body?.cancel()
}

/**
 * Finds a response by its range (`4XX`). `default` stands for failures, and for successes too if
 * the contract declares no other. A 204, 205 or 304 has no body, even if one is declared.
 */
export function findByRange(
  responses: OperationFacts['responses'],
  status: number,
): ResponseReaders | undefined {
  const [range] = String(status)
  const others =
    range === '2' && Object.keys(responses).some((declared) => declared.startsWith('2'))
      ? ''
      : 'default'
  const response = responses[`${range}XX`] ?? responses[others]
  return response && /^(20[45]|304)$/.test(String(status)) ? nothing : response
}

/** Whether a media type is of a declared family, such as `image/*`. */
export function isOfFamily(declared: string, found: string): boolean {
  return declared === '*/*' || found.startsWith(declared.slice(0, -1))
}

/** JSON includes problem+json and the like. */
export function isJson(_declared: string, found: string): boolean {
  return /[/+]json$/.test(found)
}

/** Whether two media types are names of one format. */
export function isSameFormat(declared: string, found: string): boolean {
  return formatName(declared) === formatName(found)
}

/** Keeps the body, up to `maxBytes`, for a caller who knows more than the contract. */
async function createUndeclaredError(
  operation: OperationFacts,
  response: Response,
  readers: ResponseReaders | undefined,
  type: string,
  maxBytes: number,
): Promise<UnexpectedResponseError> {
  const { parts, text } = await readText(response, maxBytes)
  const isTold = /json|text|xml/.test(type) && !(response.ok && isJson('', type))
  const declared = readers?.map(([wanted]) => wanted) ?? Object.keys(operation.responses)
  const what = `is ${readers ? type.slice(0, 80) || 'untyped' : 'not declared'}; the contract declares ${declared.join(', ')}${hint}`
  // a response without a body may have a status that no Response can be made with
  const kept = parts[0]
    ? Object.defineProperty(new Response(new Blob(parts), response), 'url', { value: response.url })
    : response
  return new UnexpectedResponseError(
    operation,
    readers ? 'content_type' : 'undeclared_status',
    kept,
    what,
    isTold ? text : '',
  )
}

/** The media type without parameters. */
function readMediaType({ headers }: Response): string {
  return (headers.get('content-type') ?? '').replace(/;.*/s, '').trim().toLowerCase()
}

/** A body, or its beginning if it is too large or the connection broke. */
type ReadBody = {
  readonly parts: Uint8Array<ArrayBuffer>[]
  readonly text: string
  /** In bytes; more than `maxBytes` if the body is too large. */
  readonly size: number
  /** The platform's error of a broken connection. */
  readonly broken: Error | undefined
}

/**
 * Reads a body as text, up to `maxBytes`. The rest is cancelled.
 */
async function readText({ body }: Response, maxBytes: number): Promise<ReadBody> {
  const reader = body?.getReader()
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  let broken: Error | undefined
  try {
    while (size <= maxBytes) {
      const part = (await reader?.read())?.value
      if (!part) break
      parts.push(part.slice(0, maxBytes - size))
      size += part.byteLength
    }
    if (size > maxBytes) await reader?.cancel()
  } catch (error) {
    broken = error as Error
  }
  const decoder = new TextDecoder()
  // most bodies have one chunk, which is decoded faster this way
  const text = parts
    .map((part, index) => decoder.decode(part, { stream: index < parts.length - 1 }))
    .join('')
  return { parts, text, size, broken }
}
