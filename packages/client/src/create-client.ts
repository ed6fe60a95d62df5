import { compose, fetchSend, type Middleware } from '@farebox/middleware'
import type { acceptUnexpected, Accepting } from './generated/accept-unexpected.js'
import * as facts from './generated/facts.js'
import * as formFacts from './generated/form-facts.js'
import { createOperations, type Operations } from './generated/operations.js'
import { createPathClient, type PathClient } from './path-client.js'

/** One method for each operation, and openapi-fetch's `GET`, `POST` and so on, typed by path. */
export type Client = Operations & PathClient

export type ClientOptions = {
  /** Ends in /api/v1; a slash after it does no harm. */
  readonly baseUrl: string
  /** Default: the global fetch of the moment of the call. */
  readonly fetch?: typeof globalThis.fetch
  /** Wraps every call; the first is the outermost. */
  readonly middleware?: readonly Middleware[]
  /**
   * The largest body of JSON or text that is taken, in bytes. Default 64 MiB. Binary answers have
   * no limit: they are streams.
   */
  readonly maxResponseBytes?: number
}

/**
 * With `unexpected: acceptUnexpected` a status or a media type that the contract does not declare,
 * and an empty body, are results, which have the field `unexpected`. Default: they are thrown.
 */
export type AcceptingOptions = ClientOptions & { readonly unexpected: typeof acceptUnexpected }

/**
 * A client with one method for each operation, and openapi-fetch's GET, POST and so on, typed by
 * path.
 *
 * A declared answer, also a 4xx, is a value told apart by `status`: `data` for success, `error` for
 * failure. What the contract does not declare, and a body that breaks off, is thrown as
 * `UnexpectedResponseError`; an input that cannot be sent as `InvalidInputError`; what fetch throws
 * is passed on. Nothing is sent, and neither `fetch` nor `Request` is touched, before the first
 * call.
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
