/** Why a call was not sent. The list is closed. */
export type PaceErrorCode =
  /** The next free slot is further away than `maxWaitMs`. */
  | 'wait_too_long'
  /** The next free slot comes after the deadline of the call. */
  | 'deadline'

/** A call that was not sent because its slot would come too late. The service received nothing. */
export class PaceError extends Error {
  override readonly name = 'PaceError'
  declare readonly code: PaceErrorCode
  /** When a slot may be free (ms since 1970); undefined while requests in flight decide. */
  declare readonly retryAt?: number
  readonly mayHaveArrived = false
  /** Tells an outer retry to keep out. */
  readonly retryable = false

  constructor(code: PaceErrorCode, message: string, retryAt: number | undefined) {
    super(message)
    Object.assign(this, { code, retryAt })
  }
}
