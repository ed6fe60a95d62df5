import {
  discard,
  isResendable,
  sleep,
  untilAborted,
  withHeader,
  type Call,
  type Middleware,
  type Send,
} from '@farebox/middleware'
import { steadyNow } from './caller.js'
import { requireAtLeast, formatMessage, RetryError, type RetryErrorCode } from './errors.js'
import { createSafeEmit, type OnEvent } from './events.js'
import {
  connectionFault,
  describeFailure,
  isPermanent,
  wasNeverSent,
  shouldRetry,
  type Outcome,
  type RetryRule,
} from './outcome.js'
import { serverTime } from './response-headers.js'

/** A wait that is about to begin. */
export type RetryEvent = {
  readonly call: Call
  /** The attempt that failed, counted from 1. */
  readonly attempt: number
  readonly outcome: Outcome
  readonly delayMs: number
  /** What set the delay. */
  readonly source: 'server' | 'backoff'
}

export type RetryOptions = {
  /** How often a call is sent at most, including the first attempt. Default 3. */
  readonly attempts?: number
  /** Default: `exponential`, at most 250 ms after the first attempt and at most 20 s later. */
  readonly backoff?: Backoff
  /** Default: `shouldRetry`. */
  readonly rule?: RetryRule
  /** Latest start of an attempt, in ms after the call; `rateLimit` and `failureBudget` respect it. Default: none. */
  readonly deadlineMs?: number
  /** How long a call may wait between its attempts in total, in milliseconds. Default 60,000. */
  readonly maxWaitMs?: number
  /** Milliseconds since 1970. Default: a clock that never goes back. */
  readonly now?: () => number
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** The randomness of the default backoff: a number in [0, 1). */
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
 * once with the signal's own reason, even if the inner middleware ignores the signal. A response
 * that is not returned is cancelled.
 *
 * @example
 * ```ts
 * const retryingFetch = withMiddleware(fetch, retry({ attempts: 5, deadlineMs: 60_000 }))
 * ```
 */
export function retry(options: RetryOptions = {}): Middleware {
  const {
    attempts = 3,
    rule = shouldRetry,
    deadlineMs = Infinity,
    maxWaitMs = 60_000,
    now = steadyNow,
    wait = sleep,
  } = options
  const backoff = options.backoff ?? exponential(options)
  const emit = createSafeEmit(options.onEvent)
  requireAtLeast(1, 'retry: attempts', attempts)
  requireAtLeast(0, 'retry: maxWaitMs', maxWaitMs)
  requireAtLeast(0, 'retry: deadlineMs', deadlineMs)

  return (next) => async (original) => {
    const startBy = now() + deadlineMs
    const { signal } = original
    const callId = ++calls
    let waitedMs = 0
    let mayHaveArrived = false

    for (let attempt = 1; ; attempt++) {
      // in V8 a key that is added to a spread costs ten times the assignment
      const call: Call = Object.assign({}, original, {
        attempt: { callId, number: attempt, startBy },
      })
      const isUnsent = signal?.aborted
      const outcome = await sendOnce(next, call)
      const { response, error } = outcome
      const isTransient = rule(call, outcome)
      if (response && !isTransient) return response
      mayHaveArrived ||= !(response || isUnsent || isPermanent(error) || wasNeverSent(error))

      /** Ends the call: with an error of that code, or with the result of the attempt. */
      const giveUp = (
        reason: string,
        code?: RetryErrorCode,
        why = '',
        retryAt?: number,
      ): Response => {
        emit(call, { type: 'give-up', reason, mayHaveArrived, retryAt })
        const details = {
          attempts: attempt,
          mayHaveArrived,
          maxWaitMs,
          deadlineMs: options.deadlineMs,
          retryAt,
          response,
          cause: error,
        }
        if (code) throw new RetryError(code, formatMessage(call, why, retryAt), details)
        if (response) return response
        throw error
      }

      const isRetried = isTransient && attempt < attempts
      if (!isRetried || !isResendable(call))
        return giveUp(...explainEnd(call, outcome, mayHaveArrived, isRetried))

      const time = now()
      const { delayMs, source } = planDelay(response, backoff(attempt), time)
      const retryAt = time + delayMs
      if (waitedMs + delayMs > maxWaitMs)
        return giveUp(
          'wait_too_long',
          'wait_too_long',
          `the wait exceeds maxWaitMs, ${maxWaitMs} ms`,
          retryAt,
        )
      if (retryAt > startBy)
        return giveUp(
          'deadline',
          'deadline',
          `the wait exceeds deadlineMs, ${deadlineMs} ms`,
          retryAt,
        )

      options.onRetry?.({ call, attempt, outcome, delayMs, source })
      emit(call, { type: 'retry', reason: describeFailure(outcome), delayMs, source })
      if (response) void discard(response)
      await wait(delayMs, signal).catch((reason: unknown) => {
        emit(call, { type: 'give-up', reason: 'aborted', mayHaveArrived })
        throw reason
      })
      waitedMs += delayMs
    }
  }
}

type AttemptResult =
  | { readonly response: Response; readonly error?: undefined }
  | { readonly response?: undefined; readonly error: unknown }

async function sendOnce(next: Send, call: Call): Promise<AttemptResult> {
  const { signal } = call
  try {
    signal?.throwIfAborted()
    return { response: await (signal ? untilAborted(next(call), signal, discard) : next(call)) }
  } catch (error) {
    return { error }
  }
}

/** How a call ends. Without a code, with the response or error of its last attempt. */
type End = [reason: string, code?: RetryErrorCode, why?: string]

/** The end of a call that must not be retried, or whose body cannot be sent twice. */
function explainEnd(
  call: Call,
  outcome: AttemptResult,
  mayHaveArrived: boolean,
  isRetried: boolean,
): End {
  const { response, error } = outcome
  const isAborted = call.signal?.aborted
  const reason = isAborted ? 'aborted' : describeFailure(outcome)
  // a permanent error explains itself, unless an earlier attempt may have arrived
  if (response || isAborted || (isPermanent(error) && !mayHaveArrived)) return [reason]
  const why = mayHaveArrived
    ? `its response was lost${isPermanent(error) ? '' : ` (${reason})`}; it may have arrived`
    : connectionFault(error)
  if (isRetried)
    return [
      reason,
      'body_not_resendable',
      `${why}; a stream is sent only once: pass bytes or a function`,
    ]
  return [reason, mayHaveArrived ? 'lost_response' : 'not_sent', why]
}

/** The backoff, or longer if the server asks for it. */
function planDelay(
  response: Response | undefined,
  backoffMs: number,
  now: number,
): Pick<RetryEvent, 'delayMs' | 'source'> {
  // a custom backoff may return anything
  const minMs = Math.ceil(Math.max(0, backoffMs) || 0)
  const delayMs = Math.max(minMs, Math.ceil(((response && serverTime(response, now)) ?? 0) - now))
  return { delayMs, source: delayMs > minMs ? 'server' : 'backoff' }
}

/**
 * Adds an Idempotency-Key to each POST that has none. Place it outside of `retry`, so that all
 * attempts of a call have the same key.
 *
 * @example
 * ```ts
 * const middleware = [idempotencyKeys(), retry({ rule: shouldRetryWithKey })]
 * ```
 */
export function idempotencyKeys(createKey: () => string = createRandomKey): Middleware {
  return (next) => async (call) => {
    if (call.method !== 'POST' || call.headers.has('idempotency-key')) return next(call)
    return next(withHeader(call, 'Idempotency-Key', createKey()))
  }
}

/**
 * A random UUID, or 128 random bits in hexadecimal on a page without HTTPS. Each key has new random
 * bits: a service may derive a cipher from it, and a process may be cloned.
 */
function createRandomKey(): string {
  const { crypto } = globalThis as {
    readonly crypto: Pick<Crypto, 'getRandomValues'> & Partial<Pick<Crypto, 'randomUUID'>>
  }
  return (
    crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), toHex).join('')
  )
}

function toHex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}

/** Milliseconds to wait after attempt `attempt` (counted from 1) has failed. */
export type Backoff = (attempt: number) => number

export type ExponentialOptions = {
  /** The ceiling after the first attempt, in milliseconds. It doubles with each. Default 250. */
  readonly base?: number
  /** The highest ceiling, in milliseconds. Default 20,000. */
  readonly cap?: number
  /** A number in [0, 1). */
  readonly random?: () => number
}

/**
 * Exponential backoff with full jitter: a random wait between a tenth of the ceiling and the
 * ceiling. Clients that failed together do not retry together. The lower bound avoids waits of
 * 0 ms, which give a failing service no time to recover.
 *
 * @example
 * ```ts
 * retry({ backoff: exponential({ base: 100, cap: 5_000 }) })
 * ```
 */
export function exponential({
  base = 250,
  cap = 20_000,
  random = Math.random,
}: ExponentialOptions = {}): Backoff {
  return (attempt) => (0.1 + 0.9 * random()) * Math.min(cap, base * 2 ** (attempt - 1))
}
