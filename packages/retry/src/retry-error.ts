/** Why a call was given up. The list is closed. */
export type RetryErrorCode =
  /** The connection was not made, as often as it was tried. */
  | 'not_sent'
  /** The request may have arrived, and its answer did not. */
  | 'lost_answer'
  /** It might have been repeated, but its body is a stream that was spent on the first attempt. */
  | 'body_not_resendable'
  /** The wait before the next attempt would go beyond `maxWaitMs`. */
  | 'wait_too_long'
  /** The wait before the next attempt would go beyond `deadlineMs`. */
  | 'deadline'

export type RetryErrorDetails = ErrorOptions & {
  readonly attempts: number
  readonly mayHaveArrived: boolean
  readonly retryAt?: number
  readonly response?: Response | undefined
  readonly maxWaitMs?: number
  readonly deadlineMs?: number
}

/** A call that was given up. The last error is its `cause`, the last answer its `response`. */
export class RetryError extends Error {
  override readonly name = 'RetryError'
  declare readonly code: RetryErrorCode
  /** How often the call was sent. */
  declare readonly attempts: number
  /** Whether one of the attempts may have reached the service without its answer reaching us: what it asked for may have been done. */
  declare readonly mayHaveArrived: boolean
  /** Tells an outer retry to keep out. */
  readonly retryable = false
  /** When another attempt may be made, in milliseconds since 1970. */
  declare readonly retryAt?: number
  /** The last answer, its body not read. */
  declare readonly response?: Response
  /** The budgets of the call, in milliseconds; no `deadlineMs` where there is no deadline. */
  declare readonly maxWaitMs?: number
  declare readonly deadlineMs?: number

  constructor(code: RetryErrorCode, message: string, { cause, response, ...facts }: RetryErrorDetails) {
    super(message, cause === undefined ? undefined : { cause })
    Object.assign(this, { code, ...facts })
    // kept out of inspection: an answer's headers are none of a log's business
    if (response) Object.defineProperty(this, 'response', { value: response })
  }
}
