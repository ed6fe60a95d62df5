/** Why a call was given up. The list is closed. */
export type RetryErrorCode =
  /** No attempt could connect. */
  | 'not_sent'
  /** The request may have arrived, but its response did not. */
  | 'lost_answer'
  /** The call could be repeated, but its body is a stream, which the first attempt consumed. */
  | 'body_not_resendable'
  /** The wait before the next attempt would go beyond `maxWaitMs`. */
  | 'wait_too_long'
  /** The wait before the next attempt would go beyond `deadlineMs`. */
  | 'deadline'

export type RetryErrorDetails = ErrorOptions & {
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
  /** Tells an outer retry to keep out. */
  readonly retryable = false
  /** When another attempt may be made, in milliseconds since 1970. */
  declare readonly retryAt?: number
  /** The last response, its body unread. */
  declare readonly response?: Response
  /** The time limits of the call, in milliseconds; `deadlineMs` is absent without a deadline. */
  declare readonly maxWaitMs?: number
  declare readonly deadlineMs?: number

  constructor(code: RetryErrorCode, message: string, { cause, response, ...facts }: RetryErrorDetails) {
    super(message, cause ? { cause } : {})
    Object.assign(this, { code, ...facts })
    // not enumerable: the headers of a response must not reach a log
    Object.defineProperty(this, 'response', { value: response })
  }
}
