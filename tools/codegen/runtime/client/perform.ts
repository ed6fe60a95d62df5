import type { Call, CallOptions, OperationFacts, Send } from './call.js'
import { decode, type Decoded } from './decode.js'

/** What a call of an operation goes through. */
export type Context = {
  /** What every path is appended to. Slashes at its end do no harm. */
  readonly baseUrl: string
  readonly send: Send
  /** The largest body of JSON or text that is taken, in bytes. Default 64 MiB. */
  readonly maxResponseBytes?: number
}

type Input = Readonly<Record<string, unknown>>

/** Calls an operation: flat input → call → answer, read as the contract declares it. */
export async function perform(context: Context, operation: OperationFacts, input: Input = {}, options: CallOptions = {}): Promise<Decoded> {
  const response = await context.send(await callOf(context.baseUrl, operation, input, options))
  return decode(operation, response, context.maxResponseBytes, options.signal)
}

async function callOf(baseUrl: string, operation: OperationFacts, input: Input, { headers: own, signal }: CallOptions): Promise<Call> {
  const { method, path, accept, put, body } = operation
  const headers = new Headers(accept ? { accept } : {})
  const draft = { path, headers }
  put?.(draft, operation, input)
  const value = body?.take(operation, body, input)
  const prepared = value === undefined ? undefined : await body?.encode(value, body, operation)
  if (prepared?.contentType !== undefined) headers.set('content-type', prepared.contentType)
  if (own) new Headers(own).forEach((text, name) => headers.set(name, text))
  return {
    url: baseUrl.replace(/\/+$/, '') + draft.path,
    method,
    headers,
    operation,
    ...(prepared && { body: prepared.body }),
    ...(signal && { signal }),
  }
}
