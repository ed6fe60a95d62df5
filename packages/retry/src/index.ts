export { onAbort, sleep } from '@farebox/middleware'
export { exponential, type Backoff, type ExponentialOptions } from './backoff.js'
export { bucketOf, type BucketName, type Plan } from './bucket.js'
export { callerOf, type CallerOptions } from './caller.js'
export {
  GuardError,
  PaceError,
  RetryError,
  type GuardErrorCode,
  type PaceErrorCode,
  type RetryErrorCode,
} from './errors.js'
export { observe, type CallEvent, type OnEvent } from './events.js'
export { guard, type GuardOptions } from './guard.js'
export { idempotencyKeys } from './idempotency-key.js'
export {
  connectionFault,
  neverSent,
  shouldRetry,
  shouldRetryWithKey,
  type Outcome,
  type RetryRule,
} from './outcome.js'
export { pace, type PaceOptions } from './pace.js'
export { memoryStore, paceStore, type PaceStore, type UpdateText } from './pace-store.js'
export {
  rateLimitsOf,
  serverTime,
  type LimitState,
  type RateLimitHeaders,
  type Remaining,
} from './response-headers.js'
export { retry, type RetryEvent, type RetryOptions } from './retry.js'
