/** Why a call was not sent. The list is closed. */
export type GuardErrorCode =
  /** So many sends failed recently that one more could make the service block the caller. */
  | 'failure_budget'
  /** The service has blocked the caller, and the block ends after the deadline of the call. */
  | 'blocked'
  /** The sends in flight may all fail, and none of them ended before the deadline of the call. */
  | 'deadline'

/** A call that was not sent, since it could trip the service's abuse protection. */
export class GuardError extends Error {
  override readonly name = 'GuardError'
  declare readonly code: GuardErrorCode
  /** When the budget frees, in milliseconds since 1970. */
  declare readonly retryAt: number
  readonly mayHaveArrived = false
  /** Tells an outer retry to keep out. */
  readonly retryable = false

  constructor(code: GuardErrorCode, message: string, retryAt: number) {
    super(message)
    Object.assign(this, { code, retryAt })
  }
}
