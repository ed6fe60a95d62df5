import type { Answer, OperationFacts } from './call.js'
import { readText } from './read-body.js'
import { UnexpectedResponseError, type UnexpectedResponseReason } from './unexpected-response-error.js'

export type Decoded =
  | { readonly status: number; readonly data: unknown; readonly response: Response }
  | { readonly status: number; readonly error: unknown; readonly response: Response }

/**
 * Reads an answer as the contract declares it for its status; throws `UnexpectedResponseError` for any other, and for a body that breaks off. An
 * abort while the body comes in is passed on as it is. JSON and text are read up to `maxBytes`; bytes have no limit, as they are not read here.
 */
export async function decode(
  operation: OperationFacts,
  response: Response,
  // 64 MiB
  maxBytes = 2 ** 26,
  signal?: AbortSignal,
): Promise<Decoded> {
  const { status } = response
  const answer = operation.responses[status] ?? operation.otherwise?.(operation.responses, status)
  const found = essence(response)
  const read = answer?.length === 0 ? cancel : answer?.find(([type, , fits]) => type === found || fits?.(type, found))?.[1]
  if (read === undefined) throw await undeclared(operation, response, answer, found)
  const value = await read(operation, response, maxBytes, signal)
  return { status, [response.ok ? 'data' : 'error']: value, response } as Decoded
}

/** An answer in JSON. Data of a success may be what nobody must log, such as a new key: none of it goes into an error, here and below. */
export async function readJson(operation: OperationFacts, response: Response, maxBytes: number, signal?: AbortSignal): Promise<unknown> {
  const text = await readString(operation, response, maxBytes, signal)
  try {
    return JSON.parse(text)
  } catch {
    // the parser's own words would repeat some of it
    throw text.trim()
      ? fault(operation, response, 'malformed_json', 'is broken JSON', response.ok ? '' : text)
      : fault(operation, response, 'empty_body', 'is empty')
  }
}

/** The length that a header gives is that of the body as it was encoded on its way, so that it tells nothing of one that was. */
export async function readString(operation: OperationFacts, response: Response, maxBytes: number, signal?: AbortSignal): Promise<string> {
  const { headers } = response
  const length = headers.has('content-encoding') ? NaN : Number(headers.get('content-length') ?? NaN)
  const { text, size, broken } = await readText(response, length > maxBytes ? 0 : maxBytes)
  // what platforms throw when a connection breaks (TypeError, in workerd Error); an abort, and what a timeout aborts with, are something else
  if (broken)
    throw signal?.aborted || !/^(Type)?Error$/.test(broken.name)
      ? broken
      : fault(operation, response, 'incomplete_body', 'broke off', '', broken)
  if (size > maxBytes || length > maxBytes) throw fault(operation, response, 'too_large', `has more than ${maxBytes} bytes`)
  if (length >= 0 && size !== length) throw fault(operation, response, 'incomplete_body', `has ${size} bytes instead of ${length}`)
  return text
}

/** Nearly every answer. */
export const json: Answer = [['application/json', readJson, isJson]]

/** An answer of bytes is the Response itself. */
export function readBytes(_operation: OperationFacts, response: Response): Response {
  return response
}

async function cancel(_operation: OperationFacts, { body }: Response): Promise<void> {
  await body?.cancel()
}

/** By its range; `default` stands for failures, unless the contract declares no success beside it. A 204 has no body, whatever is declared. */
export function byRange(responses: OperationFacts['responses'], status: number): Answer | undefined {
  const [range] = String(status)
  const others = range === '2' && Object.keys(responses).some((declared) => declared.startsWith('2')) ? '' : 'default'
  const answer = responses[`${range}XX`] ?? responses[others]
  return answer && status === 204 ? [] : answer
}

/** `image/*` fits all of its family, and the wildcard of everything all. */
export function isOfFamily(declared: string, found: string): boolean {
  return declared === '*/*' || found.startsWith(declared.slice(0, -1))
}

/** JSON has kin: problem+json and the like. */
export function isJson(_declared: string, found: string): boolean {
  return /[/+]json$/.test(found)
}

/** Shows the first characters of what is text; of anything else, and of the rest, nothing is waited for. */
async function undeclared(
  operation: OperationFacts,
  response: Response,
  answer: Answer | undefined,
  type: string,
): Promise<UnexpectedResponseError> {
  const isTold = /json|text|xml/.test(type) && !(response.ok && isJson('', type))
  // four bytes a character at most
  const text = isTold ? (await readText(response, 2048)).text : ''
  await response.body?.cancel().catch(() => undefined)
  const declared = answer ? answer.map(([wanted]) => wanted) : Object.keys(operation.responses)
  const what = `is ${type.slice(0, 80) || 'untyped'}, and the contract declares ${declared.join(', ')}`
  return fault(operation, response, answer ? 'content_type' : 'undeclared_status', what, text)
}

function fault(
  { id }: OperationFacts,
  response: Response,
  reason: UnexpectedResponseReason,
  detail: string,
  excerpt = '',
  cause?: Error,
): UnexpectedResponseError {
  return new UnexpectedResponseError(
    id,
    reason,
    response,
    excerpt.slice(0, 512),
    `the answer ${response.status} ${detail}`,
    cause && { cause },
  )
}

/** Its media type without parameters. */
function essence({ headers }: Response): string {
  return (headers.get('content-type') ?? '').replace(/;.*/s, '').trim().toLowerCase()
}
