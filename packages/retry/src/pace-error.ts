/** Why a call was not sent. The list is closed. */
export type PaceErrorCode =
  /** The next free place is further away than `maxWaitMs`. */
  | 'wait_too_long'
  /** The next free place comes after the deadline of the call. */
  | 'deadline'

/** A call that was not sent, since its turn would come too late. Nothing of it reached the service. */
export class PaceError extends Error {
  override readonly name = 'PaceError'
  declare readonly code: PaceErrorCode
  /** When there may be a place, in milliseconds since 1970; undefined where that depends on answers under way. */
  declare readonly retryAt?: number
  readonly mayHaveArrived = false
  /** Tells an outer retry to keep out. */
  readonly retryable = false

  constructor(code: PaceErrorCode, message: string, retryAt: number | undefined) {
    super(message)
    Object.assign(this, { code, retryAt })
  }
}
