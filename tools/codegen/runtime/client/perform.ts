import type { Call, OperationFacts, PaidCallOptions, Send } from './call.js'
import { decode } from './decode.js'

/** The context of every call. */
export type Context = {
  /** Prefix of every path. Slashes at its end are ignored. */
  readonly baseUrl: string
  readonly send: Send
  /** The largest body of JSON or text, in bytes. Default 64 MiB. */
  readonly maxResponseBytes?: number
  /** What an undeclared response becomes: `acceptUnexpected`. Default: its error is thrown. */
  readonly unexpected?: ((error: unknown) => Promise<unknown>) | undefined
}

type Input = Readonly<Record<string, unknown>>

/**
 * Calls an operation: flat input → call → response, read as the contract declares it. The function
 * of the operation states its input and its result: the compiler would compare every one of them.
 */
export async function perform(
  context: Context,
  operation: OperationFacts,
  input: unknown = {},
  options: PaidCallOptions = {},
): Promise<never> {
  const { accept, body } = operation
  const { maxUsd, signal } = options
  const headers = new Headers(accept ? { accept } : {})
  const draft = { path: operation.path, headers }
  operation.put?.(draft, operation, input as Input)
  const value = body?.take(operation, body, input as Input)
  const prepared = value === undefined ? undefined : await body?.encode(value, body, operation)
  if (prepared?.contentType) headers.set('content-type', prepared.contentType)
  if (options.headers) new Headers(options.headers).forEach((text, name) => headers.set(name, text))
  const url = context.baseUrl.replace(/\/+$/, '') + draft.path
  const call = {
    url,
    method: operation.method,
    headers,
    body: prepared?.body,
    signal,
    operation,
    maxUsd,
  } as Call
  return decode(operation, await context.send(call), context.maxResponseBytes, signal).catch(
    context.unexpected,
  ) as Promise<never>
}
