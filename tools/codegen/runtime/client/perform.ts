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
  const { baseUrl, send, maxResponseBytes } = context
  const { method, path, accept, put, body } = operation
  const { headers: own, signal } = options
  const headers = new Headers()
  if (accept) headers.set('accept', accept)
  const draft = { path, headers }
  put?.(draft, operation, input)
  const value = body?.take(operation, body, input)
  const encoded = value === undefined ? undefined : body?.encode(value, body, operation)
  const prepared = encoded instanceof Promise ? await encoded : encoded
  if (prepared?.contentType !== undefined) headers.set('content-type', prepared.contentType)
  if (own) new Headers(own).forEach((text, name) => headers.set(name, text))
  const call: Writable<Call> = { url: baseUrl.replace(/\/+$/, '') + draft.path, method, headers, operation }
  if (prepared) call.body = prepared.body
  if (signal) call.signal = signal
  return await decode(operation, await send(call), maxResponseBytes, signal)
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }
