import { discard, isResendable, sleep, untilAborted, type Call, type Middleware } from '@farebox/middleware'
import { exponential, type Backoff } from './backoff.js'
import { safeEmit, type OnEvent } from './events.js'
import { atLeast, formatMessage } from './format-message.js'
import { connectionFault, isPermanent, neverSent } from './never-sent.js'
import { reasonOf } from './reason-of.js'
import { RetryError, type RetryErrorCode } from './retry-error.js'
import { serverTime } from './server-time.js'
import { shouldRetry, type Outcome, type RetryRule } from './should-retry.js'
import { steadyNow } from './steady-now.js'

/** A wait that is about to begin. */
export type RetryEvent = {
  readonly call: Call
  /** The attempt that failed, counted from 1. */
  readonly attempt: number
  readonly outcome: Outcome
  readonly delayMs: number
  /** Who set the delay. */
  readonly source: 'server' | 'backoff'
}

export type RetryOptions = {
  /** How often a call is sent at most, including the first time. Default 3. */
  readonly attempts?: number
  /** Default: `exponential`, at most 250 ms after the first attempt and at most 20 s later. */
  readonly backoff?: Backoff
  /** Default: `shouldRetry`. */
  readonly rule?: RetryRule
  /** Latest start of an attempt, in ms after the call; pace and guard obey. Default: none. */
  readonly deadlineMs?: number
  /** How long a call may wait between its attempts in total, in milliseconds. Default 60,000. */
  readonly maxWaitMs?: number
  /** Milliseconds since 1970. Default: a clock that never goes back. */
  readonly now?: () => number
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** The randomness of the default backoff: a number from 0 up to 1, 1 left out. */
  readonly random?: () => number
  readonly onRetry?: (event: RetryEvent) => void
  /** Called for each `retry` and `give-up`. */
  readonly onEvent?: OnEvent | undefined
}

let calls = 0

/**
 * Sends a call again while the rule allows it, and returns the result of the last attempt.
 *
 * No attempt begins before the time that the server names. If the wait would exceed `maxWaitMs` or
 * `deadlineMs`, the call fails at once with a RetryError that says when to try again. A call whose
 * last attempt got no response fails with a RetryError too: it says how often the call was sent,
 * and whether it may have arrived. A stream is sent once. An abort ends a wait or an attempt at
 * once with the signal's own reason, even if the middleware inside ignores the signal. A response
 * that is not returned is cancelled.
 */
export function retry(options: RetryOptions = {}): Middleware {
  const { attempts = 3, rule = shouldRetry, deadlineMs = Infinity, maxWaitMs = 60_000, now = steadyNow, wait = sleep } = options
  const backoff = options.backoff ?? exponential(options)
  const emit = safeEmit(options.onEvent)
  atLeast(1, 'retry: attempts', attempts)
  atLeast(0, 'retry: maxWaitMs', maxWaitMs)
  atLeast(0, 'retry: deadlineMs', deadlineMs)

  return (next) => async (original) => {
    const startBy = now() + deadlineMs
    const { signal } = original
    const callId = ++calls
    let waited = 0
    let mayHaveArrived = false
    for (let attempt = 1; ; attempt++) {
      // in V8 a key that is added to a spread costs ten times the assignment
      const call: Call = Object.assign({}, original, { attempt: { callId, number: attempt, startBy } })
      const unsent = signal?.aborted
      let outcome: Outcome
      try {
        signal?.throwIfAborted()
        outcome = { response: await (signal ? untilAborted(next(call), signal, discard) : next(call)) }
      } catch (error) {
        outcome = { error }
      }
      const { response, error } = outcome as { response?: Response; error?: unknown }
      const again = rule(call, outcome)
      if (response && !again) return response

      const aborted = signal?.aborted
      const permanent = isPermanent(error)
      mayHaveArrived ||= !(response || unsent || permanent || neverSent(error))

      let retryAt: number | undefined
      const giveUp = (reason: string) => emit(call, { type: 'give-up', reason, mayHaveArrived, retryAt })
      const failure = (code: RetryErrorCode, why: string) =>
        new RetryError(code, formatMessage(call, why, retryAt), {
          attempts: attempt,
          mayHaveArrived,
          maxWaitMs,
          deadlineMs: options.deadlineMs,
          retryAt,
          response,
          cause: error,
        })

      const isLast = attempt >= attempts
      if (!again || isLast || !isResendable(call)) {
        giveUp(aborted ? 'aborted' : reasonOf(outcome))
        if (response) return response
        // a permanent error explains itself, unless an earlier attempt may have arrived
        if (aborted || (permanent && !mayHaveArrived)) throw error
        const what = mayHaveArrived ? 'its response was lost; it may have arrived' : connectionFault(error)
        if (again && !isLast) throw failure('body_not_resendable', `${what}; a stream is sent once: give bytes or a function`)
        throw failure(mayHaveArrived ? 'lost_answer' : 'not_sent', what)
      }

      const time = now()
      // a custom backoff may return anything
      const ownMs = Math.ceil(Math.max(0, backoff(attempt)) || 0)
      const delayMs = Math.max(ownMs, Math.ceil(((response && serverTime(response, time)) ?? 0) - time))
      const beyond = waited + delayMs > maxWaitMs ? 'wait_too_long' : time + delayMs > startBy ? 'deadline' : undefined
      if (beyond) {
        retryAt = time + delayMs
        giveUp(beyond)
        throw failure(beyond, `the wait exceeds ${beyond === 'deadline' ? `deadlineMs, ${deadlineMs}` : `maxWaitMs, ${maxWaitMs}`} ms`)
      }

      const source = delayMs > ownMs ? 'server' : 'backoff'
      options.onRetry?.({ call, attempt, outcome, delayMs, source })
      emit(call, { type: 'retry', reason: reasonOf(outcome), delayMs, source })
      if (response) void discard(response)
      await wait(delayMs, signal).catch((reason: unknown) => {
        giveUp('aborted')
        throw reason
      })
      waited += delayMs
    }
  }
}
