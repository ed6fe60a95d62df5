import type { CallOptions } from '@farebox/client'
import type { RetryOptions } from '@farebox/retry'

/** The options of one call. They win over those of `createFarebox`. */
export type FareboxCallOptions = CallOptions & {
  /** The time limit of each attempt of this call, in milliseconds. */
  readonly timeoutMs?: number
  /** `false` sends this call once. */
  readonly retry?: RetryOptions | false
}
