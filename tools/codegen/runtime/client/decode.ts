import type { OperationFacts, ResponseFacts } from './call.js'
import { UnexpectedResponseError, type UnexpectedResponseReason } from './unexpected-response-error.js'

export type Decoded =
  | { readonly status: number; readonly data: unknown; readonly response: Response }
  | { readonly status: number; readonly error: unknown; readonly response: Response }

/** Reads an answer as the contract declares it for its status; throws `UnexpectedResponseError` for any other. */
export async function decode(operation: OperationFacts, response: Response): Promise<Decoded> {
  const { status } = response
  const declared = operation.responses[status] ?? operation.responses[`${Math.floor(status / 100)}XX`] ?? operation.responses['default']
  if (declared === undefined) {
    const known = Object.keys(operation.responses).join(', ')
    throw await unexpected(operation, response, 'undeclared_status', `the service answered ${status}, and the contract declares ${known}`)
  }
  const value = await read(operation, declared, response)
  return response.ok ? { status, data: value, response } : { status, error: value, response }
}

async function read(operation: OperationFacts, { kind, contentTypes }: ResponseFacts, response: Response): Promise<unknown> {
  if (kind === 'empty' || response.status === 204 || operation.method === 'HEAD') {
    await response.body?.cancel()
    return undefined
  }
  const found = response.headers.get('content-type') ?? ''
  if (!contentTypes.some((declared) => covers(declared, found))) {
    const detail = `the answer ${response.status} is ${found === '' ? 'of no media type' : found}, and the contract declares ${contentTypes.join(', ')}`
    throw await unexpected(operation, response, 'content_type', detail)
  }
  const actual = kind === 'mixed' ? kindOf(found) : kind
  if (actual === 'binary') return response
  const text = await response.text()
  return actual === 'text' ? text : parse(operation, response, text)
}

function parse(operation: OperationFacts, response: Response, text: string): unknown {
  const excerpt = text.slice(0, 512)
  if (text.trim() === '') {
    throw new UnexpectedResponseError(
      operation.id,
      'empty_body',
      response,
      excerpt,
      `the answer ${response.status} should hold JSON and is empty`,
    )
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    const detail = `the answer ${response.status} holds JSON that ends or breaks after ${text.length} characters`
    throw new UnexpectedResponseError(operation.id, 'malformed_json', response, excerpt, detail, { cause })
  }
}

async function unexpected(
  operation: OperationFacts,
  response: Response,
  reason: UnexpectedResponseReason,
  detail: string,
): Promise<UnexpectedResponseError> {
  const textual = /json|text|xml|html/i.test(response.headers.get('content-type') ?? '')
  const excerpt = textual ? await beginning(response) : ''
  if (!textual) await response.body?.cancel()
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

/** Whether a declared media type, which may end in a wildcard, admits the one found. */
function covers(declared: string, found: string): boolean {
  const [wanted = ''] = declared.toLowerCase().split(';', 1)
  const [actual = ''] = found.toLowerCase().split(';', 1)
  if (wanted.trim() === actual.trim() || wanted.trim() === '*/*') return true
  if (wanted.endsWith('/*')) return actual.startsWith(wanted.slice(0, -1))
  return kindOf(wanted) === 'json' && kindOf(actual) === 'json'
}

function kindOf(contentType: string): 'json' | 'text' | 'binary' {
  if (/^(?:[^;]*[/+])?json\s*(?:;|$)/i.test(contentType)) return 'json'
  return /^text\/|[/+]xml|x-www-form-urlencoded/i.test(contentType) ? 'text' : 'binary'
}
