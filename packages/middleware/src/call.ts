/**
 * What a middleware may know about the operation of a call. Each row of the generated table in
 * `@farebox/types/operations` has this shape.
 */
export type Operation = {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Sets of scheme names. Any one set is enough; an empty set admits anonymous callers. */
  readonly security: readonly (readonly string[])[]
  /** Whether a repeat of the call has no further effect. */
  readonly idempotent: boolean
  /** The class of limits that the operation counts against. */
  readonly rateLimit?: string
  /**
   * The status of the response to a request without a payment, if the request itself is paid for
   * (x402). The response lists the payment options and is not a failure.
   */
  readonly discovery?: number
  /** The most that a call may cost, in USD, if the contract states it. */
  readonly maxUsd?: number
  /**
   * The limits of that class per minute, by plan (`default`, `partner`), if the contract states
   * them. The generated client passes them.
   */
  readonly limits?: Readonly<
    Record<string, { readonly requests: number; readonly tokens?: number }>
  >
}

/** A body that fetch accepts. Only the DOM library has `BodyInit`. */
export type Body = NonNullable<RequestInit['body']>

/** A body, or a function that returns a new one, or none, for each attempt. */
export type CallBody = Body | (() => Body | Promise<Body | undefined>)

/**
 * The fields of fetch's init that middleware passes on unread, and `redirect`, which auth sets.
 */
export type CallInit = Omit<RequestInit, 'method' | 'headers' | 'body' | 'signal'>

/** Which attempt of a call this is. `retry` sets it, and the middleware inside of it reads it. */
export type Attempt = {
  /** The same for all attempts of one call, and for no other call in this process. */
  readonly callId: number
  /** Counted from 1. */
  readonly number: number
  /**
   * The last moment to send the attempt: milliseconds since 1970, or Infinity. An attempt that
   * would have to wait longer fails at once.
   */
  readonly startBy?: number
}

/**
 * One request as plain data, so that it can be sent again without a clone. The caller's own signal
 * reaches fetch on every attempt. A middleware never changes the call that it receives; it sends a
 * changed copy (`{ ...call, headers }`).
 */
export type Call = {
  /** Absolute, unless the platform has no base URL for a relative one. */
  readonly url: string
  /** In upper case. */
  readonly method: string
  readonly headers: Headers
  readonly body?: CallBody | null
  readonly signal?: AbortSignal
  readonly operation?: Operation
  readonly attempt?: Attempt
  /**
   * The most that a payment middleware may pay for this call, in USD. Default: `maxUsd` of the
   * operation.
   */
  readonly maxUsd?: number
  /**
   * Passed to fetch unchanged (`credentials`, `cache`, an undici `dispatcher`). `redirect:
   * 'manual'` keeps credentials from following a redirect.
   */
  readonly init?: CallInit
}

/** One round trip to the server. The innermost send calls `fetch`. */
export type Send = (call: Call) => Promise<Response>

/** Wraps a send in another send, and may call it zero, one or many times. */
export type Middleware = (next: Send) => Send

/**
 * Puts middleware around a send. The first one sees the call first and the response last.
 *
 * @example
 * ```ts
 * const send = compose(fetchSend(fetch), [retry(), bearer(apiKey, { origin })])
 * ```
 */
export function compose(send: Send, middleware: readonly Middleware[]): Send {
  return middleware.reduceRight((next, wrap) => wrap(next), send)
}

/**
 * A copy of the call with one header set. The original call keeps its headers.
 *
 * @example
 * ```ts
 * const tagged: Middleware = (next) => (call) => next(withHeader(call, 'x-tenant', 'tram'))
 * ```
 */
export function withHeader(call: Call, name: string, value: string): Call {
  const headers = new Headers(call.headers)
  headers.set(name, value)
  return { ...call, headers }
}

/**
 * Whether the body of a call can be sent a second time. A string, bytes, a Blob, a form,
 * URLSearchParams and a body factory can. A stream, or anything else that is read part by part, is
 * consumed by the first attempt.
 *
 * @example
 * ```ts
 * if (response.status === 401 && isResendable(call)) response = await next(call)
 * ```
 */
export function isResendable({ body }: { readonly body?: Call['body'] | undefined }): boolean {
  const object = Object(body) as object
  return !('getReader' in object || Symbol.asyncIterator in object)
}

/**
 * A URL without its user and its query, which may hold secrets.
 *
 * @example
 * ```ts
 * shownUrl('https://user:secret@api.example/models?key=secret') // 'https://api.example/models'
 * ```
 */
export function shownUrl(url: string): string {
  return url.replace(/[?#].*|(?<=\/\/)[^/]*@/gs, '')
}
