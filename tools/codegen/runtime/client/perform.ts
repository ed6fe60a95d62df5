import { prepareBody } from './body.js'
import type { Call, CallOptions, OperationFacts, ParameterFacts, Send } from './call.js'
import { decode, type Decoded } from './decode.js'
import { InvalidInputError } from './invalid-input-error.js'
import { serializeParameter } from './serialize.js'

export type Context = {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly send: Send
  /** Of JSON and text. Default 64 MiB. */
  readonly maxResponseBytes?: number
}

type Input = Readonly<Record<string, unknown>>

/** Calls an operation: flat input → call → answer, read as the contract declares it. */
export async function perform(context: Context, operation: OperationFacts, input: Input = {}, options: CallOptions = {}): Promise<Decoded> {
  return decode(operation, await context.send(await callOf(context.baseUrl, operation, input, options)), context.maxResponseBytes)
}

async function callOf(baseUrl: string, operation: OperationFacts, input: Input, options: CallOptions): Promise<Call> {
  const url = baseUrl + urlOf(operation, input)
  const headers = headersOf(operation, input)
  const prepared = await prepareBody(operation, input)
  if (prepared?.contentType !== undefined) headers.set('content-type', prepared.contentType)
  new Headers(options.headers).forEach((value, name) => headers.set(name, value))
  return {
    url,
    method: operation.method,
    headers,
    operation,
    ...(prepared !== undefined && { body: prepared.body }),
    ...(options.signal !== undefined && { signal: options.signal }),
  }
}

function urlOf(operation: OperationFacts, input: Input): string {
  let path = operation.path
  const query: string[] = []
  for (const parameter of operation.parameters) {
    if (parameter.in === 'path') {
      const value = valueOf(operation, parameter, input) ?? ''
      path = path.replaceAll(`{${parameter.name}}`, () => value)
    } else if (parameter.in === 'query') {
      const pair = valueOf(operation, parameter, input)
      if (pair !== undefined) query.push(pair)
    }
  }
  refuseDots(operation, path)
  return query.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`
}

function headersOf(operation: OperationFacts, input: Input): Headers {
  const headers = new Headers()
  const accept = acceptOf(operation)
  if (accept !== '') headers.set('accept', accept)
  const cookies: string[] = []
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'header' && parameter.in !== 'cookie') continue
    const value = valueOf(operation, parameter, input)
    if (value === undefined) continue
    if (parameter.in === 'cookie') cookies.push(value)
    else setHeader(operation, parameter, headers, value)
  }
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
  return headers
}

function valueOf(operation: OperationFacts, parameter: ParameterFacts, input: Input): string | undefined {
  const value = serializeParameter(parameter, Object.hasOwn(input, parameter.field) ? input[parameter.field] : undefined)
  // an empty place in a path is another path
  const isMissing = value === undefined || (value === '' && parameter.in === 'path')
  if (isMissing && parameter.required && parameter.credential !== true) {
    throw new InvalidInputError(`${placeOf(operation, parameter)} is required, and the input has no ${JSON.stringify(parameter.field)}.`)
  }
  return value
}

/** A URL has no way to write a segment of `.` or `..`, not even escaped: it would be another path (URL standard, "path state"). */
function refuseDots(operation: OperationFacts, path: string): void {
  const segment = path.split(/[/?]/).find((part) => /^(?:\.|%2e){1,2}$/i.test(part))
  if (segment === undefined) return
  throw new InvalidInputError(
    `${operation.id}: a value for the path ${operation.path} is ${JSON.stringify(segment)}, which no URL can hold. Give another.`,
  )
}

/** The platform's own complaint would repeat the value, which may be a secret. */
function setHeader(operation: OperationFacts, parameter: ParameterFacts, headers: Headers, value: string): void {
  try {
    headers.set(parameter.name, value)
  } catch {
    throw new InvalidInputError(
      `${placeOf(operation, parameter)} cannot carry the value of ${JSON.stringify(parameter.field)}: a header takes Latin-1 text of one line.`,
    )
  }
}

function placeOf({ id }: OperationFacts, { in: place, name }: ParameterFacts): string {
  return `${id}: the ${place} parameter ${JSON.stringify(name)}`
}

/** What the contract declares for success comes first, so that a service that chooses by `accept` chooses it. */
function acceptOf({ responses }: OperationFacts): string {
  const types = Object.entries(responses)
    .sort(([a], [b]) => Number(!a.startsWith('2')) - Number(!b.startsWith('2')))
    .flatMap(([, { contentTypes }]) => contentTypes)
  return [...new Set(types)].join(', ')
}
