import { prepareBody } from './body.js'
import type { Call, CallOptions, OperationFacts, ParameterFacts, Send } from './call.js'
import { decode, type Decoded } from './decode.js'
import { serializeParameter } from './serialize.js'

export type Context = {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly send: Send
}

type Input = Readonly<Record<string, unknown>>

/** Calls an operation: flat input → call → answer, read as the contract declares it. */
export async function perform(context: Context, operation: OperationFacts, input: Input = {}, options: CallOptions = {}): Promise<Decoded> {
  return decode(operation, await context.send(await callOf(context.baseUrl, operation, input, options)))
}

async function callOf(baseUrl: string, operation: OperationFacts, input: Input, options: CallOptions): Promise<Call> {
  const headers = new Headers()
  const prepared = await prepareBody(operation, input)
  if (prepared?.contentType !== undefined) headers.set('content-type', prepared.contentType)
  const accept = acceptOf(operation)
  if (accept !== '') headers.set('accept', accept)

  const cookies: string[] = []
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'header' && parameter.in !== 'cookie') continue
    const value = valueOf(operation, parameter, input)
    if (value === undefined) continue
    if (parameter.in === 'header') headers.set(parameter.name, value)
    else cookies.push(value)
  }
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
  new Headers(options.headers).forEach((value, name) => headers.set(name, value))

  return {
    url: baseUrl + urlOf(operation, input),
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
    if (parameter.in === 'path') path = path.replaceAll(`{${parameter.name}}`, () => valueOf(operation, parameter, input) ?? '')
    if (parameter.in !== 'query') continue
    const pair = valueOf(operation, parameter, input)
    if (pair !== undefined && pair !== '') query.push(pair)
  }
  return query.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`
}

function valueOf(operation: OperationFacts, parameter: ParameterFacts, input: Input): string | undefined {
  const value = Object.hasOwn(input, parameter.field) ? input[parameter.field] : undefined
  const missing = value === undefined || value === null || (value === '' && parameter.in === 'path')
  if (missing && parameter.required && parameter.credential !== true) {
    throw new TypeError(
      `${operation.id}: the input has no ${JSON.stringify(parameter.field)} (${parameter.in} parameter ${parameter.name}), which is required.`,
    )
  }
  return serializeParameter(parameter, value)
}

/** What the contract declares for success comes first, so that a service that chooses by `accept` chooses it. */
function acceptOf({ responses }: OperationFacts): string {
  const types = Object.entries(responses)
    .toSorted(([a], [b]) => Number(!a.startsWith('2')) - Number(!b.startsWith('2')))
    .flatMap(([, { contentTypes }]) => contentTypes)
  return [...new Set(types)].join(', ')
}
