import { isResendable, withHeader, type Call, type Middleware, type Send } from '@farebox/middleware'
import { exponential, type Backoff } from './backoff.js'
import { about, teller, withoutQuery, type OnEvent } from './events.js'
import { isPermanent, neverSent } from './never-sent.js'
import { onAbort } from './on-abort.js'
import { reasonOf } from './reason-of.js'
import { RetryError, type RetryErrorCode } from './retry-error.js'
import { serverTime } from './server-time.js'
import { shouldRetry, type Outcome, type RetryRule } from './should-retry.js'
import { sleep } from './sleep.js'

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
  /** Default: exponential with full jitter, from 250 ms, at most 20 s. */
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
  const backoff = options.backoff ?? exponential(options.random ? { random: options.random } : {})
  const tell = teller(options.onEvent)
  checkNumbers({ attempts, deadlineMs, maxWaitMs })

  return (next) => async (given) => {
    const start = now()
    const keyed = withKey(given, options.idempotencyKey)
    const callId = ++calls
    const budgets = { maxWaitMs, ...(deadlineMs !== Infinity && { deadlineMs }) }
    let waited = 0
    let mayHaveArrived = false
    for (let attempt = 1; ; attempt++) {
      const startBy = deadlineMs === Infinity ? {} : { startBy: start + deadlineMs }
      const call = { ...keyed, attempt: { callId, number: attempt, ...startBy } }
      const outcome = await settle(next, call)
      mayHaveArrived ||= isLost(call, outcome)
      const facts = { attempts: attempt, mayHaveArrived, ...budgets }
      const giveUp = (reason: string, retryAt?: number) =>
        tell({ ...about(call), type: 'give-up', reason, mayHaveArrived, ...(retryAt !== undefined && { retryAt }) })
      const wanted = rule(call, outcome)
      if (!wanted || attempt >= attempts || !isResendable(call)) {
        if (wanted || 'error' in outcome) giveUp(call.signal?.aborted ? 'aborted' : reasonOf(outcome))
        return unwrap(call, outcome, facts, wanted && attempt < attempts ? 'body_not_resendable' : undefined)
      }

      const time = now()
      const asked = 'response' in outcome ? serverTime(outcome.response, time) : undefined
      const own = atLeastZero(backoff(attempt))
      const delayMs = Math.ceil(Math.max(own, (asked ?? 0) - time))
      const retryAt = time + delayMs
      const beyond = waited + delayMs > maxWaitMs ? 'wait_too_long' : retryAt > start + deadlineMs ? 'deadline' : undefined
      if (beyond !== undefined) {
        giveUp(beyond, retryAt)
        throw tooFar(call, beyond, { ...facts, ...outcomeOf(outcome), retryAt })
      }

      const source = delayMs > Math.ceil(own) ? 'server' : 'backoff'
      options.onRetry?.({ call, attempt, outcome, delayMs, source })
      tell({ ...about(call), type: 'retry', reason: reasonOf(outcome), delayMs, source })
      if ('response' in outcome) discard(outcome.response)
      try {
        await wait(delayMs, call.signal)
      } catch (error) {
        giveUp('aborted')
        throw error
      }
      waited += delayMs
    }
  }
}

/** The same key on all attempts, since the call is made before the first. */
function withKey(call: Call, key: (() => string) | undefined): Call {
  if (key === undefined || call.method !== 'POST' || call.headers.has('idempotency-key')) return call
  return withHeader(call, 'Idempotency-Key', key())
}

/** What comes of one attempt, or of the abort should that come first; an answer that comes after it is cancelled. */
function settle(next: Send, call: Call): Promise<Outcome> {
  const { signal } = call
  const { promise, resolve } = deferred<Outcome>()
  const silence = onAbort(signal, () => resolve({ error: signal?.reason as unknown }))
  attemptOf(next, call).then(
    (response) => {
      silence()
      if (signal?.aborted) discard(response)
      resolve(signal?.aborted ? { error: signal.reason as unknown } : { response })
    },
    (error: unknown) => {
      silence()
      resolve({ error })
    },
  )
  return promise
}

/** Async, so that what throws at once rejects. */
async function attemptOf(next: Send, call: Call): Promise<Response> {
  call.signal?.throwIfAborted()
  return next(call)
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((set) => {
    resolve = set
  })
  return { promise, resolve }
}

function isLost(call: Call, outcome: Outcome): boolean {
  return 'error' in outcome && !neverSent(outcome.error) && !isPermanent(outcome.error) && !call.signal?.aborted
}

type Facts = { readonly attempts: number; readonly mayHaveArrived: boolean; readonly maxWaitMs: number; readonly deadlineMs?: number }

/** The answer, or the error: its own where it already says what there is to say, else one that tells attempts and arrival. */
function unwrap(call: Call, outcome: Outcome, facts: Facts, code?: RetryErrorCode): Response {
  if ('response' in outcome) return outcome.response
  if (call.signal?.aborted) throw outcome.error
  // an error that speaks for itself, unless an attempt before it was lost
  if (isPermanent(outcome.error) && !facts.mayHaveArrived) throw outcome.error
  const sent = facts.mayHaveArrived ? 'the request may have arrived, and its answer was lost' : 'the connection was not made'
  const why =
    code === 'body_not_resendable' ? '; it is not sent again, since its body is a stream: give text, bytes, a Blob or a function' : ''
  throw new RetryError(
    code ?? (facts.mayHaveArrived ? 'lost_answer' : 'not_sent'),
    `${call.method} ${withoutQuery(call.url)}: ${sent} (attempt ${facts.attempts})${why}`,
    { ...facts, cause: outcome.error },
  )
}

function outcomeOf(outcome: Outcome): { response: Response } | { cause: unknown } {
  return 'response' in outcome ? { response: outcome.response } : { cause: outcome.error }
}

function tooFar(call: Call, code: 'wait_too_long' | 'deadline', details: Facts & { readonly retryAt: number }): RetryError {
  const { attempts, retryAt, maxWaitMs, deadlineMs } = details
  const budget = code === 'deadline' ? `deadlineMs, ${deadlineMs} ms` : `maxWaitMs, ${maxWaitMs} ms`
  const why = `given up after attempt ${attempts}, since the wait would go beyond ${budget}; try again at ${iso(retryAt)}`
  return new RetryError(code, `${call.method} ${withoutQuery(call.url)}: ${why}`, details)
}

/** A backoff of the caller's own may give any number; for a Date it must be one that it can hold. */
function iso(time: number): string {
  return new Date(Math.min(time, 8.64e15)).toISOString()
}

function atLeastZero(number: number): number {
  return number > 0 ? number : 0
}

/** Gives the connection back. Nobody waits for it. */
function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined)
}

function checkNumbers({ attempts, ...times }: { attempts: number; deadlineMs: number; maxWaitMs: number }): void {
  if (!(attempts >= 1)) throw new RangeError(`retry: attempts is ${attempts}, expected a number from 1 up`)
  for (const [name, value] of Object.entries(times)) {
    if (!(value >= 0)) throw new RangeError(`retry: ${name} is ${value}, expected milliseconds from 0 up`)
  }
}
