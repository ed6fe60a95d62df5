import type { Call, Middleware, Send } from '@farebox/middleware'
import { neverSent } from '@farebox/retry'
import { credentialsIn, type Redact, redactor } from './redact.js'

/** The requests of one call so far. */
export type CallStatistics = {
  /** Attempts that sent a request. Sign-in and payment may send more than once in one. */
  readonly attempts: number
  /** Whether a request may have arrived although its response was lost. */
  readonly lost: boolean
  /** True while a request is in flight, lost or unread: an abort may leave work done. */
  readonly open: boolean
  /** Hides the credentials of the requests. */
  readonly redact: Redact
}

/** The statistics of a call that sent nothing. */
export const nothingSent: CallStatistics = { attempts: 0, lost: false, open: false, redact: (text) => text }

const key = Symbol('statistics')

type Counts = {
  attempts: number
  lost: boolean
  inFlight: number
  paid: boolean
  done: boolean
  last: Call['attempt'] | null
  readonly sent: Headers[]
}

type Counted = Call & { readonly [key]?: Counts }

/**
 * Wraps a send for one call and counts. `send` must contain the middleware `recordSends`. The call
 * carries the fields of `more`, for the middleware within.
 */
export function countSends(send: Send, more: object = {}): { readonly send: Send; readonly now: () => CallStatistics } {
  const counts: Counts = { attempts: 0, lost: false, inFlight: 0, paid: false, done: false, last: null, sent: [] }
  return {
    // a property of the call: its signal, headers and operation are shared with other calls
    send: (call) => send(Object.assign({}, call, more, { [key]: counts } satisfies Partial<Counted>)),
    now: () => {
      const { attempts, lost, inFlight, paid, done, sent } = counts
      return { attempts, lost, open: lost || inFlight > 0 || paid || done, redact: redactor(sent.flatMap(credentialsIn)) }
    },
  }
}

/**
 * Counts the requests that are sent. It must be innermost, so that no middleware holds back a
 * counted request. An aborted call is not sent.
 */
export const recordSends: Middleware = (next) => async (call) => {
  const { [key]: counts } = call as Counted
  call.signal?.throwIfAborted()
  if (!counts) return next(call)
  if (counts.last !== call.attempt) counts.attempts++
  counts.last = call.attempt
  // until it is concluded, any sent payment may have settled
  counts.paid ||= call.headers.has('payment-signature') || call.headers.has('x-payment')
  counts.sent.push(call.headers)
  counts.inFlight++
  try {
    const response = await next(call)
    counts.done ||= response.ok
    return response
  } catch (error) {
    counts.lost ||= !neverSent(error)
    throw error
  } finally {
    counts.inFlight--
  }
}

/**
 * Says of an exception of a layer before the send (a store, a signer, a clock, the environment)
 * that nothing was sent, with its reason. Without it, `retry` would take any unknown exception for
 * a lost response. It must be outside of all layers that can throw, and inside of `retry`. An error
 * that says itself whether the request may have arrived, or that it is permanent, stays.
 */
export const localFailures: Middleware = (next) => async (call) => {
  const sent = (call as Counted)[key]?.sent
  const before = sent?.length
  try {
    return await next(call)
  } catch (error) {
    const { mayHaveArrived, retryable } = Object(error) as { readonly mayHaveArrived?: unknown; readonly retryable?: unknown }
    if (!sent || sent.length !== before || call.signal?.aborted || typeof mayHaveArrived === 'boolean' || retryable === false) throw error
    throw Object.assign(new Error(`nothing was sent: ${textOf(error)}`, { cause: error }), {
      code: 'not_sent',
      mayHaveArrived: false,
      retryable: false,
    })
  }
}

/** A thrown value may have no text form. */
export function textOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'something was thrown that is not an error'
  }
}
