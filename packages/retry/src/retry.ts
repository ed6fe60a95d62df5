import { isResendable, withHeader, type Call, type Middleware } from '@farebox/middleware'
import { exponential, type Backoff } from './backoff.js'
import { about, teller, type OnEvent } from './events.js'
import { isPermanent, neverSent } from './never-sent.js'
import { onAbort } from './on-abort.js'
import { reasonOf } from './reason-of.js'
import { RetryError, type RetryErrorCode } from './retry-error.js'
import { serverTime } from './server-time.js'
import { shouldRetry, type Outcome, type RetryRule } from './should-retry.js'
import { sleep } from './sleep.js'
import { atLeast, words } from './words.js'

/** A wait that is about to begin. */
export type RetryEvent = {
  readonly call: Call
  /** The attempt that failed, counted from 1. */
  readonly attempt: number
  readonly outcome: Outcome
  readonly delayMs: number
  /** Whether the wait is as long as the server asked for, or as long as the backoff says. */
  readonly source: 'server' | 'backoff'
}

export type RetryOptions = {
  /** How often a call is sent at most, the first time included. Default 3. */
  readonly attempts?: number
  /** Default: exponential with full jitter, below 250 ms after the first attempt and below 20 s at most; never under a tenth of that. */
  readonly backoff?: Backoff
  /** Default: `shouldRetry`. */
  readonly rule?: RetryRule
  /** No attempt begins later than this after the call began, in milliseconds; pace and guard keep to it too. Default: no deadline. */
  readonly deadlineMs?: number
  /** How long a call may wait between its attempts, all waits together, in milliseconds. Default 60,000. */
  readonly maxWaitMs?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** The chance in the default backoff: a number from 0 up to 1, 1 left out. */
  readonly random?: () => number
  readonly onRetry?: (event: RetryEvent) => void
  /** Told of each `retry` and `give-up`. */
  readonly onEvent?: OnEvent | undefined
  /** Makes the Idempotency-Key that a POST without one carries on all its attempts. Default: none is added. */
  readonly idempotencyKey?: () => string
}

let calls = 0

/**
 * Sends a call again while the rule allows it; the last attempt's result stands.
 *
 * A time that the server gives is a floor: no attempt begins before it. When the wait would go beyond `maxWaitMs` or `deadlineMs` the call
 * fails at once with a RetryError that says when to come back. A connection that fails in the end is a RetryError too, which says how
 * often the call was sent and whether it may have arrived. A body that can be sent once is sent once. An abort ends a wait or an attempt at
 * once, with the signal's own reason, whatever stands inside. Answers that are not handed on are cancelled.
 */
export function retry(options: RetryOptions = {}): Middleware {
  const { attempts = 3, rule = shouldRetry, deadlineMs = Infinity, maxWaitMs = 60_000, now = Date.now, wait = sleep } = options
  const backoff = options.backoff ?? exponential(options)
  const tell = teller(options.onEvent)
  atLeast(1, 'retry: attempts', attempts)
  atLeast(0, 'retry: maxWaitMs', maxWaitMs)
  atLeast(0, 'retry: deadlineMs', deadlineMs)

  return (next) => async (given) => {
    const startBy = now() + deadlineMs
    const keyed = withKey(given, options.idempotencyKey)
    const { signal } = given
    const callId = ++calls
    let waited = 0
    let mayHaveArrived = false
    for (let attempt = 1; ; attempt++) {
      // in V8 a key that is added to a spread costs ten times the assignment
      const call: Call = Object.assign({}, keyed, { attempt: { callId, number: attempt, startBy } })
      const unsent = signal?.aborted
      let outcome: Outcome
      try {
        signal?.throwIfAborted()
        outcome = { response: await (signal ? heard(next(call), signal) : next(call)) }
      } catch (error) {
        outcome = { error }
      }
      const { response, error } = outcome as { response?: Response; error?: unknown }
      const again = rule(call, outcome)
      if (response && !again) return response

      const aborted = signal?.aborted === true
      const permanent = isPermanent(error)
      mayHaveArrived ||= !(response || unsent || permanent || neverSent(error))

      const giveUp = (reason: string, retryAt?: number) => tell({ ...about(call), type: 'give-up', reason, mayHaveArrived, retryAt })
      const failure = (code: RetryErrorCode, why: string, retryAt?: number) =>
        new RetryError(code, words(call, why, retryAt), {
          attempts: attempt,
          mayHaveArrived,
          maxWaitMs,
          ...(deadlineMs !== Infinity && { deadlineMs }),
          ...(retryAt !== undefined && { retryAt }),
          response,
          cause: error,
        })

      const isLast = attempt >= attempts
      if (!again || isLast || !isResendable(call)) {
        giveUp(aborted ? 'aborted' : reasonOf(outcome))
        if (response) return response
        // the caller's own reason, or an error that speaks for itself unless an attempt before it was lost
        if (aborted || (permanent && !mayHaveArrived)) throw error
        const what = mayHaveArrived ? 'its answer was lost, and it may have arrived' : 'no connection was made'
        if (again && !isLast) throw failure('body_not_resendable', `${what}; a stream is sent once: give bytes or a function`)
        throw failure(mayHaveArrived ? 'lost_answer' : 'not_sent', what)
      }

      const time = now()
      // a backoff of the caller's own may give anything
      const ownMs = Math.ceil(Math.max(0, backoff(attempt)) || 0)
      const delayMs = Math.max(ownMs, Math.ceil(((response && serverTime(response, time)) ?? 0) - time))
      const retryAt = time + delayMs
      const beyond = waited + delayMs > maxWaitMs ? 'wait_too_long' : retryAt > startBy ? 'deadline' : undefined
      if (beyond) {
        giveUp(beyond, retryAt)
        throw failure(
          beyond,
          `the wait exceeds ${beyond === 'deadline' ? `deadlineMs, ${deadlineMs}` : `maxWaitMs, ${maxWaitMs}`} ms`,
          retryAt,
        )
      }

      const source = delayMs > ownMs ? 'server' : 'backoff'
      options.onRetry?.({ call, attempt, outcome, delayMs, source })
      tell({ ...about(call), type: 'retry', reason: reasonOf(outcome), delayMs, source })
      discard(response)
      await wait(delayMs, signal).catch((reason: unknown) => {
        giveUp('aborted')
        throw reason
      })
      waited += delayMs
    }
  }
}

/** The same key on all attempts, since the call is made before the first. */
function withKey(call: Call, key: (() => string) | undefined): Call {
  if (!key || call.method !== 'POST' || call.headers.has('idempotency-key')) return call
  return withHeader(call, 'Idempotency-Key', key())
}

/** What comes of an attempt, or the abort should that come first; an answer that comes after it is cancelled. */
function heard(answer: Promise<Response>, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const silence = onAbort(signal, () => {
      reject(signal.reason as Error)
      answer.then(discard, () => undefined)
    })
    answer.then(resolve, reject).finally(silence)
  })
}

/** Gives the connection of an answer that nobody reads back. Nobody waits for it. */
function discard(response: Response | undefined): void {
  response?.body?.cancel().catch(() => undefined)
}
