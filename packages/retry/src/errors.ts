import { shownUrl, type Call } from '@farebox/middleware'

/** Why `retry` gave up a call. The list is closed. */
export type RetryErrorCode =
  /** No attempt could connect. */
  | 'not_sent'
  /** The request may have arrived, but its response did not. */
  | 'lost_response'
  /** The call could be retried, but its body is a stream, which the first attempt consumed. */
  | 'body_not_resendable'
  /** The wait before the next attempt would exceed `maxWaitMs`. */
  | 'wait_too_long'
  /** The wait before the next attempt would exceed `deadlineMs`. */
  | 'deadline'

type RetryErrorDetails = ErrorOptions & {
  readonly attempts: number
  readonly mayHaveArrived: boolean
  readonly retryAt?: number | undefined
  readonly response?: Response | undefined
  readonly maxWaitMs?: number
  readonly deadlineMs?: number | undefined
}

/** A call that was given up. `cause` is the last error, `response` the last response. */
export class RetryError extends Error {
  override readonly name = 'RetryError'
  declare readonly code: RetryErrorCode
  /** How often the call was sent. */
  declare readonly attempts: number
  /** Whether an attempt may have reached the service: the work may have been done. */
  declare readonly mayHaveArrived: boolean
  /** Tells an outer retry not to retry. */
  readonly retryable = false
  /** When another attempt may be made, in milliseconds since 1970. */
  declare readonly retryAt?: number
  /** The last response, its body unread. */
  declare readonly response?: Response
  /** The time limits of the call, in milliseconds; `deadlineMs` is absent without a deadline. */
  declare readonly maxWaitMs?: number
  declare readonly deadlineMs?: number

  constructor(
    code: RetryErrorCode,
    message: string,
    { cause, response, ...details }: RetryErrorDetails,
  ) {
    super(message, cause ? { cause } : undefined)
    Object.assign(this, { code, ...details })
    // not enumerable: the headers of a response must not reach a log
    Object.defineProperty(this, 'response', { value: response })
  }
}

/** Why `rateLimit` did not send a call. The list is closed. */
export type RateLimitErrorCode =
  /** The next free slot is further away than `maxWaitMs`. */
  | 'wait_too_long'
  /** The next free slot comes after the deadline of the call. */
  | 'deadline'

/** A call that was not sent because its slot would come too late. The service received nothing. */
export class RateLimitError extends Error {
  override readonly name = 'RateLimitError'
  declare readonly code: RateLimitErrorCode
  /** When a slot may be free (ms since 1970); undefined while requests in flight decide. */
  declare readonly retryAt?: number
  readonly mayHaveArrived = false
  /** Tells an outer retry not to retry. */
  readonly retryable = false

  constructor(code: RateLimitErrorCode, message: string, retryAt: number | undefined) {
    super(message)
    Object.assign(this, { code, retryAt })
  }
}

/** Why `failureBudget` did not send a call. The list is closed. */
export type FailureBudgetErrorCode =
  /** So many sends failed recently that one more could make the service block the caller. */
  | 'failure_budget'
  /** The service has blocked the caller, and the block ends after the deadline of the call. */
  | 'blocked'
  /** The sends in flight may all fail, and none of them ended before the deadline of the call. */
  | 'deadline'

/** A call that was not sent because it could trip the service's abuse protection. */
export class FailureBudgetError extends Error {
  override readonly name = 'FailureBudgetError'
  declare readonly code: FailureBudgetErrorCode
  /** When the budget frees, in milliseconds since 1970. */
  declare readonly retryAt: number
  readonly mayHaveArrived = false
  /** Tells an outer retry not to retry. */
  readonly retryable = false

  constructor(code: FailureBudgetErrorCode, message: string, retryAt: number) {
    super(message)
    Object.assign(this, { code, retryAt })
  }
}

/** Which limit of `timeout` a call exceeded. The list is closed. */
export type TimeoutErrorCode =
  /** `responseMs`: no response began. */
  | 'no_response'
  /** `idleMs`: the body stalled. */
  | 'idle'
  /** `totalMs`: the response did not end. */
  | 'total'

/** A call that took too long, and was aborted. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  declare readonly code: TimeoutErrorCode
  /** The limit, in milliseconds. */
  declare readonly timeoutMs: number
  /** The work may have been done. */
  readonly mayHaveArrived = true

  constructor(code: TimeoutErrorCode, message: string, timeoutMs: number) {
    super(message)
    Object.assign(this, { code, timeoutMs })
  }
}

/** The message of an error about a call: the request, the reason, and when to try again. */
export function formatMessage({ method, url }: Call, why: string, retryAt?: number): string {
  // a custom backoff may return any number; a Date holds at most 8.64e15
  const when = retryAt ? `; try again at ${new Date(Math.min(8.64e15, retryAt)).toISOString()}` : ''
  return `${method} ${shownUrl(url)}: ${why}${when}`
}

/** Throws a RangeError for an option that is not a number or is below its minimum. */
export function requireAtLeast(least: number, name: string, value: number): void {
  if (!(value >= least)) throw new RangeError(`${name} is ${value}, expected at least ${least}`)
}
