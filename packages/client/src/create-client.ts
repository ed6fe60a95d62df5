import { compose, fetchSend, type Middleware } from '@farebox/middleware'
import type { acceptUnexpected, Accepting } from './generated/accept-unexpected.js'
import * as facts from './generated/facts.js'
import * as formFacts from './generated/form-facts.js'
import { createOperations, type Operations } from './generated/operations.js'
import { createPathClient, type PathClient } from './path-client.js'

/** One method for each operation, and openapi-fetch's `GET`, `POST` and so on, typed by path. */
export type Client = Operations & PathClient

export type ClientOptions = {
  /** Ends in /api/v1. A trailing slash is ignored. */
  readonly baseUrl: string
  /** Default: the global fetch at the time of the call. */
  readonly fetch?: typeof globalThis.fetch
  /** Wraps every call; the first is the outermost. */
  readonly middleware?: readonly Middleware[]
  /**
   * The largest body of JSON or text, in bytes. Default 64 MiB. Binary responses are streams, so they
   * have no limit.
   */
  readonly maxResponseBytes?: number
}

/**
 * With `unexpected: acceptUnexpected`, an undeclared status or media type and an empty body are
 * results with the field `unexpected`. Default: they are thrown.
 */
export type AcceptingOptions = ClientOptions & { readonly unexpected: typeof acceptUnexpected }

/**
 * A client with one method for each operation, and openapi-fetch's GET, POST and so on, typed by
 * path.
 *
 * A declared response, including a 4xx, is a result discriminated by `status`: `data` for success,
 * `error` for failure. An undeclared response, and a body that breaks off, is thrown as
 * `UnexpectedResponseError`; an input that cannot be sent as `InvalidInputError`; errors of fetch are
 * rethrown. Nothing is sent, and neither `fetch` nor `Request` is used, before the first call.
 *
 * @example
 * ```ts
 * const client = createClient({ baseUrl: 'http://127.0.0.1:4020/api/v1' })
 * const result = await client.listModels()
 * if (result.status === 200) console.log(result.data)
 * ```
 */
export function createClient(options: AcceptingOptions): Accepting<Operations> & PathClient
export function createClient(options: ClientOptions): Client
export function createClient({
  baseUrl,
  fetch,
  middleware = [],
  maxResponseBytes,
  unexpected,
}: ClientOptions & Partial<AcceptingOptions>): never {
  const innermost = fetchSend(fetch ?? ((input, init) => globalThis.fetch(input, init)))
  const send = compose(innermost, middleware)
  const limit = maxResponseBytes === undefined ? {} : { maxResponseBytes }
  return Object.assign(
    createPathClient(baseUrl, send, [...facts.all, ...formFacts.all]),
    createOperations({ baseUrl, send, unexpected, ...limit }),
  ) as never
}
