import type { OperationFacts, ResponseFacts } from './call.js'
import { readText, TooLargeError, WrongLengthError } from './read-body.js'
import { UnexpectedResponseError, type UnexpectedResponseReason } from './unexpected-response-error.js'

type Kind = 'json' | 'text' | 'binary'

export type Decoded =
  | { readonly status: number; readonly data: unknown; readonly response: Response }
  | { readonly status: number; readonly error: unknown; readonly response: Response }

/** The largest body of JSON or text that is read, in bytes, unless the caller says otherwise. Binary answers have no limit: they are not read here. */
export const defaultMaxBytes = 64 * 1024 * 1024

/**
 * Reads an answer as the contract declares it for its status; throws `UnexpectedResponseError` for any other, and for a body that breaks off. An
 * abort while the body comes in is passed on as it is.
 */
export async function decode(operation: OperationFacts, response: Response, maxBytes = defaultMaxBytes): Promise<Decoded> {
  const { status } = response
  const declared = declaredFor(operation, status)
  if (declared === undefined) {
    const known = Object.keys(operation.responses).join(', ') || 'none'
    throw await unexpected(operation, response, 'undeclared_status', `the service answered ${status}, and the contract declares ${known}`)
  }
  const value = await read(operation, declared, response, maxBytes)
  return response.ok ? { status, data: value, response } : { status, error: value, response }
}

/** `default` stands for failures, unless the contract declares no success beside it. */
function declaredFor({ responses }: OperationFacts, status: number): ResponseFacts | undefined {
  const exact = responses[status] ?? responses[`${Math.floor(status / 100)}XX`]
  if (exact !== undefined) return exact
  const isSuccess = status >= 200 && status < 300
  return isSuccess && Object.keys(responses).some((declared) => declared.startsWith('2')) ? undefined : responses['default']
}

async function read(operation: OperationFacts, declared: ResponseFacts, response: Response, maxBytes: number): Promise<unknown> {
  if (declared.kind === 'empty' || response.status === 204 || operation.method === 'HEAD') {
    await response.body?.cancel()
    return undefined
  }
  const found = response.headers.get('content-type') ?? ''
  const kind = kindOf(declared, found)
  if (kind === undefined) {
    const { contentTypes } = declared
    const detail = `the answer ${response.status} is ${found === '' ? 'of no media type' : found.slice(0, 80)}, and the contract declares ${contentTypes.join(', ')}`
    throw await unexpected(operation, response, 'content_type', detail)
  }
  if (kind === 'binary') return response
  const text = await whole(operation, response, maxBytes)
  return kind === 'text' ? text : parse(operation, response, text)
}

async function whole(operation: OperationFacts, response: Response, maxBytes: number): Promise<string> {
  try {
    return await readText(response, maxBytes)
  } catch (cause) {
    const { id } = operation
    const what = `the body of the answer ${response.status}`
    if (cause instanceof TooLargeError) throw new UnexpectedResponseError(id, 'too_large', response, '', `${what}: ${cause.message}`)
    if (cause instanceof WrongLengthError)
      throw new UnexpectedResponseError(id, 'incomplete_body', response, '', `${what}: ${cause.message}`)
    // what fetch throws when a connection breaks; an abort, and what a timeout aborts with, are something else
    if (cause instanceof TypeError) throw new UnexpectedResponseError(id, 'incomplete_body', response, '', `${what} broke off`, { cause })
    throw cause
  }
}

/** How the declared media type that fits the one found is read; nothing when none fits. The closest one decides. */
function kindOf({ kind, kinds, contentTypes }: ResponseFacts, found: string): Kind | undefined {
  const fits = contentTypes.map((declared) => closeness(declared, found))
  const best = fits.indexOf(Math.max(...fits))
  if (!((fits[best] ?? 0) > 0)) return undefined
  return kind === 'mixed' || kind === 'empty' ? kinds?.[best] : kind
}

/** 4 for the same media type, 3 for the same family of `text/*`, 2 for kin in JSON, 1 for a declared wildcard of everything, 0 for no match. */
function closeness(declared: string, found: string): number {
  const [wanted, actual] = [essence(declared), essence(found)]
  if (wanted === '*/*') return 1
  if (wanted === actual) return 4
  if (wanted.endsWith('/*') && actual.startsWith(wanted.slice(0, -1))) return 3
  return isJson(wanted) && isJson(actual) ? 2 : 0
}

/** Data of a success may be what nobody must log, such as a new key: none of it goes into an error, here and below. */
function parse(operation: OperationFacts, response: Response, text: string): unknown {
  if (text.trim() === '') {
    throw new UnexpectedResponseError(
      operation.id,
      'empty_body',
      response,
      '',
      `the answer ${response.status} should hold JSON and is empty`,
    )
  }
  try {
    return JSON.parse(text)
  } catch {
    const detail = `the answer ${response.status} holds JSON that ends or breaks within its ${text.length} characters`
    throw new UnexpectedResponseError(operation.id, 'malformed_json', response, response.ok ? '' : text.slice(0, 512), detail)
  }
}

async function unexpected(
  operation: OperationFacts,
  response: Response,
  reason: UnexpectedResponseReason,
  detail: string,
): Promise<UnexpectedResponseError> {
  const type = response.headers.get('content-type') ?? ''
  const isTold = /json|text|xml|html/i.test(type) && !(response.ok && isJson(essence(type)))
  const excerpt = isTold ? await beginning(response) : ''
  if (!isTold) await response.body?.cancel()
  return new UnexpectedResponseError(operation.id, reason, response, excerpt, detail)
}

/** The first 512 characters; the rest is not waited for. */
async function beginning(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (text.length < 512) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
    await reader.cancel()
  } catch {
    // What came before the fault is still worth showing.
  }
  return text.slice(0, 512)
}

function essence(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

function isJson(essence: string): boolean {
  return /^(?:.*[/+])?json$/.test(essence)
}
