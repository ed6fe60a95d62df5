import type { Call, Middleware, Send } from '@farebox/middleware'
import { neverSent } from '@farebox/retry'
import { credentialsIn } from './own-credentials.js'
import { redactor, type Redact } from './redactor.js'

/** What became of the requests of one call so far. */
export type Tally = {
  /** In how many attempts a request left. Sign-in and payment may send more than once within one. */
  readonly attempts: number
  /** Whether one of them may have arrived although its answer was lost. */
  readonly lost: boolean
  /** Whether the caller, should it go away now, leaves work behind that may have been done: a request under way, lost, or done and its answer unread. */
  readonly open: boolean
  /** Hides the credentials that the requests carried. */
  readonly redact: Redact
}

/** Of a call that nothing was sent of. */
export const untouched: Tally = { attempts: 0, lost: false, open: false, redact: (text) => text }

const key = Symbol('tally')

type Counts = {
  attempts: number
  lost: boolean
  underWay: number
  paid: boolean
  done: boolean
  last: Call['attempt'] | null
  readonly sent: Headers[]
}

type Counted = Call & { readonly [key]?: Counts }

/** A send for one call, and what is known of it at any time. The send that is given must have `tallied` in it. */
export function tally(send: Send): { readonly send: Send; readonly now: () => Tally } {
  const counts: Counts = { attempts: 0, lost: false, underWay: 0, paid: false, done: false, last: null, sent: [] }
  return {
    // on the call, as a signal, headers and an operation are shared with others
    send: (call) => send(Object.assign({}, call, { [key]: counts } satisfies Partial<Counted>)),
    now: () => {
      const { attempts, lost, underWay, paid, done, sent } = counts
      return { attempts, lost, open: lost || underWay > 0 || paid || done, redact: redactor(sent.flatMap(credentialsIn)) }
    },
  }
}

/** Counts what leaves: the innermost, so that nothing holds back what was counted. What the caller has aborted does not leave. */
export const tallied: Middleware = (next) => async (call) => {
  const { [key]: counts } = call as Counted
  call.signal?.throwIfAborted()
  if (!counts) return next(call)
  if (counts.last !== call.attempt) counts.attempts++
  counts.last = call.attempt
  // a payment may be settled whatever its answer was, for all that is known before it is concluded
  counts.paid ||= call.headers.has('payment-signature') || call.headers.has('x-payment')
  counts.sent.push(call.headers)
  counts.underWay++
  try {
    const response = await next(call)
    counts.done ||= response.ok
    return response
  } catch (error) {
    counts.lost ||= !neverSent(error)
    throw error
  } finally {
    counts.underWay--
  }
}
