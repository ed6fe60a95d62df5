/** What a middleware may know about the operation behind a call. The generated table of `@farebox/types/operations` satisfies it. */
export type Operation = {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Sets of scheme names: any one set is enough, an empty set admits anonymous callers. */
  readonly security: readonly (readonly string[])[]
  /** A second send of the same call does no harm beyond the first. */
  readonly idempotent: boolean
  /** The class of limits that the operation counts against. */
  readonly rateLimit?: string
  /** The figures of that class in a minute, by plan (`default`, `partner`), where the contract states them. The generated client gives them. */
  readonly limits?: Readonly<Record<string, { readonly requests: number; readonly tokens?: number }>>
}

/** A body, or a function that makes a fresh one for each attempt. */
export type CallBody = BodyInit | (() => BodyInit)

/** The fields of fetch's init that no middleware needs to understand, and `redirect`, which auth sets. */
export type CallInit = Omit<RequestInit, 'method' | 'headers' | 'body' | 'signal'>

/** Which attempt of a call this is. A retry sets it; what stands inside of the retry reads it. */
export type Attempt = {
  /** The same for all attempts of one call, and of no other call in this process. */
  readonly callId: number
  /** Counted from 1. */
  readonly number: number
  /** The attempt is not to be sent after this: milliseconds since 1970, or Infinity. What would have to wait longer fails at once. */
  readonly startBy?: number
}

/**
 * One request as plain data, so that it can be sent again: nothing is cloned, and the caller's own signal reaches fetch on every attempt.
 * A middleware never changes a call that it was given; it sends a changed copy (`{ ...call, headers }`).
 */
export type Call = {
  /** Absolute wherever the platform can tell. */
  readonly url: string
  /** In upper case. */
  readonly method: string
  readonly headers: Headers
  readonly body?: CallBody | null
  readonly signal?: AbortSignal
  readonly operation?: Operation
  readonly attempt?: Attempt
  /** Handed to fetch unchanged (`credentials`, `cache`, an undici `dispatcher`); `redirect: 'manual'` keeps credentials from following. */
  readonly init?: CallInit
}

/** One trip to the server and back. The innermost one is `fetch`. */
export type Send = (call: Call) => Promise<Response>

/** Wraps a send in another send, and may call it zero, one or many times. */
export type Middleware = (next: Send) => Send
