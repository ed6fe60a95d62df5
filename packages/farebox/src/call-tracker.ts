import type { Call, Middleware, Send } from '@farebox/middleware'
import { wasNeverSent } from '@farebox/retry'
import { createRedactor, readCredentials, type Redact } from './redact.js'

/** What is known of the requests of one call so far. */
export type CallStatistics = {
  /** Attempts that sent a request. Sign-in and payment may send more than one per attempt. */
  readonly attempts: number
  /** Whether a request may have arrived although its response was lost. */
  readonly lost: boolean
  /** Whether an abort may leave work done: a request is in flight, lost, paid or successful. */
  readonly open: boolean
  /** Hides the credentials of the requests. */
  readonly redact: Redact
}

/** The statistics of a call that sent nothing. */
export const nothingSent: CallStatistics = {
  attempts: 0,
  lost: false,
  open: false,
  redact: (text) => text,
}

/** A call of the SDK. The copies that middleware makes of it share one tracker. */
export type TrackedCall = Call & { readonly tracker?: CallTracker }

/** The error for the reader of a body that broke off after `received` bytes. */
export type ToBodyError = (error: unknown, response: Response, received: number) => unknown

/** State and settings of one call that its attempts share. */
export class CallTracker {
  /** Whether the call has reached its middleware. */
  isStarted = false
  readonly #requests: Headers[] = []
  #attempts = 0
  #lastAttempt: Call['attempt'] | null = null
  #inFlight = 0
  #lost = false
  #paid = false
  #succeeded = false

  constructor(
    /** The time limit of each attempt. Default: that of the SDK object. */
    readonly timeoutMs?: number,
    readonly toBodyError?: ToBodyError,
  ) {}

  /** How many requests were sent, including those of sign-in and payment. */
  get requests(): number {
    return this.#requests.length
  }

  get statistics(): CallStatistics {
    const open = this.#lost || this.#inFlight > 0 || this.#paid || this.#succeeded
    return {
      attempts: this.#attempts,
      lost: this.#lost,
      open,
      redact: createRedactor(this.#requests.flatMap(readCredentials)),
    }
  }

  /** Attaches this tracker to each call. The send must contain the middleware `recordSends`. */
  attach(send: Send): Send {
    return (call) => {
      this.isStarted = true
      // in V8 a key that is added to a spread costs ten times the assignment
      return send(Object.assign({}, call, { tracker: this }))
    }
  }

  /** Sends and counts one request. */
  async send(call: Call, next: Send): Promise<Response> {
    if (this.#lastAttempt !== call.attempt) this.#attempts++
    this.#lastAttempt = call.attempt
    // any payment that was sent may be settled later
    this.#paid ||= call.headers.has('payment-signature') || call.headers.has('x-payment')
    this.#requests.push(call.headers)
    this.#inFlight++
    try {
      const response = await next(call)
      this.#succeeded ||= response.ok
      return response
    } catch (error) {
      this.#lost ||= !wasNeverSent(error)
      throw error
    } finally {
      this.#inFlight--
    }
  }
}

/** Counts the requests of a call in its tracker. Does not send a call that is aborted. */
export const recordSends: Middleware = (next) => async (call: TrackedCall) => {
  call.signal?.throwIfAborted()
  return call.tracker ? call.tracker.send(call, next) : next(call)
}

/**
 * Marks an exception that was thrown before the request (by a store, a signer, a clock, the
 * environment) as `not_sent`. Without the mark, `retry` would treat it as a lost response. Errors
 * that state `mayHaveArrived` themselves, or that are permanent, pass unchanged.
 */
export const localFailures: Middleware = (next) => async (call: TrackedCall) => {
  const { tracker } = call
  const before = tracker?.requests
  try {
    return await next(call)
  } catch (error) {
    const { mayHaveArrived, retryable } = Object(error) as {
      readonly mayHaveArrived?: unknown
      readonly retryable?: unknown
    }
    const isSent = tracker?.requests !== before
    if (
      !tracker ||
      isSent ||
      call.signal?.aborted ||
      typeof mayHaveArrived === 'boolean' ||
      retryable === false
    )
      throw error
    throw Object.assign(new Error(`nothing was sent: ${describeThrown(error)}`, { cause: error }), {
      code: 'not_sent',
      mayHaveArrived: false,
      retryable: false,
    })
  }
}

/** The message of a thrown value, which may be anything. */
export function describeThrown(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'something was thrown that is not an error'
  }
}
