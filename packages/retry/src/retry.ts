import { isResendable, type Call, type Middleware, type Send } from '@farebox/middleware'
import { exponential, type Backoff } from './backoff.js'
import { isPermanent, neverSent } from './never-sent.js'
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
  /** No attempt begins later than this after the call began, in milliseconds. Default: no deadline. */
  readonly deadlineMs?: number
  /** How long a call may wait between its attempts, all waits together, in milliseconds. Default 60,000. */
  readonly maxWaitMs?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** The chance in the default backoff: a number from 0 up to 1, 1 left out. */
  readonly random?: () => number
  readonly onRetry?: (event: RetryEvent) => void
}

/**
 * Sends a call again while the rule allows it; the last attempt's result stands.
 *
 * A time that the server gives is a floor: no attempt begins before it. When the wait would go beyond `maxWaitMs` or `deadlineMs` the call
 * fails at once with a RetryError that says when to come back. A connection that fails in the end is a RetryError too, which says how
 * often the call was sent and whether it may have arrived. A body that can be sent once is sent once. An abort ends a wait at once, with
 * the signal's own reason. Answers that are not handed on are cancelled.
 */
export function retry(options: RetryOptions = {}): Middleware {
  const { attempts = 3, rule = shouldRetry, deadlineMs = Infinity, maxWaitMs = 60_000, now = Date.now, wait = sleep } = options
  const backoff = options.backoff ?? exponential(options.random ? { random: options.random } : {})
  checkNumbers({ attempts, deadlineMs, maxWaitMs })

  return (next) => async (call) => {
    const start = now()
    let waited = 0
    let mayHaveArrived = false
    for (let attempt = 1; ; attempt++) {
      const outcome = await settle(next, call)
      mayHaveArrived ||= isLost(call, outcome)
      const facts = { attempts: attempt, mayHaveArrived }
      if (!rule(call, outcome) || attempt >= attempts) return unwrap(call, outcome, facts)
      if (!isResendable(call)) return unwrap(call, outcome, facts, 'body_not_resendable')

      const time = now()
      const asked = 'response' in outcome ? serverTime(outcome.response, time) : undefined
      const own = atLeastZero(backoff(attempt))
      const delayMs = Math.ceil(Math.max(own, (asked ?? 0) - time))
      const budget = { ...facts, ...outcomeOf(outcome), retryAt: time + delayMs }
      if (waited + delayMs > maxWaitMs) throw tooLong(call, { ...budget, maxWaitMs })
      if (time + delayMs > start + deadlineMs) throw tooLate(call, { ...budget, deadlineMs })

      options.onRetry?.({ call, attempt, outcome, delayMs, source: delayMs > Math.ceil(own) ? 'server' : 'backoff' })
      if ('response' in outcome) discard(outcome.response)
      await wait(delayMs, call.signal)
      waited += delayMs
    }
  }
}

async function settle(next: Send, call: Call): Promise<Outcome> {
  try {
    return { response: await next(call) }
  } catch (error) {
    return { error }
  }
}

function isLost(call: Call, outcome: Outcome): boolean {
  return 'error' in outcome && !neverSent(outcome.error) && !isPermanent(outcome.error) && !call.signal?.aborted
}

type Facts = { readonly attempts: number; readonly mayHaveArrived: boolean }

/** The answer, or the error: its own where it already says what there is to say, else one that tells attempts and arrival. */
function unwrap(call: Call, outcome: Outcome, facts: Facts, code?: RetryErrorCode): Response {
  if ('response' in outcome) return outcome.response
  if (call.signal?.aborted || isPermanent(outcome.error)) throw outcome.error
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

type Budget = Facts & { readonly retryAt: number }

function tooLong(call: Call, details: Budget & { readonly maxWaitMs: number }): RetryError {
  return new RetryError('wait_too_long', given(call, details, `the wait would go beyond maxWaitMs, ${details.maxWaitMs} ms`), details)
}

function tooLate(call: Call, details: Budget & { readonly deadlineMs: number }): RetryError {
  return new RetryError('deadline', given(call, details, `the wait would go beyond deadlineMs, ${details.deadlineMs} ms`), details)
}

function given({ method, url }: Call, { attempts, retryAt }: Budget, why: string): string {
  return `${method} ${withoutQuery(url)}: given up after attempt ${attempts}, since ${why}; try again at ${iso(retryAt)}`
}

/** A backoff of the caller's own may give any number; for a Date it must be one that it can hold. */
function iso(time: number): string {
  return new Date(Math.min(time, 8.64e15)).toISOString()
}

function atLeastZero(number: number): number {
  return number > 0 ? number : 0
}

/** Addresses may carry secrets behind the question mark. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '')
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
