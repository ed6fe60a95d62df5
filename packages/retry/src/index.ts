export { onAbort, sleep } from '@farebox/middleware'
export { findBucket, type BucketName, type Plan } from './bucket.js'
export { nameCaller, type CallerOptions } from './caller.js'
export { concurrencyLimit, type ConcurrencyLimitOptions } from './concurrency-limit.js'
export {
  FailureBudgetError,
  RateLimitError,
  RetryError,
  TimeoutError,
  type FailureBudgetErrorCode,
  type RateLimitErrorCode,
  type RetryErrorCode,
  type TimeoutErrorCode,
} from './errors.js'
export { observe, type CallEvent, type OnEvent } from './events.js'
export { failureBudget, type FailureBudgetOptions } from './failure-budget.js'
export {
  connectionFault,
  wasNeverSent,
  shouldRetry,
  shouldRetryWithKey,
  type Outcome,
  type RetryRule,
} from './outcome.js'
export { openTelemetry, type MeterLike } from './opentelemetry.js'
export { rateLimit, type RateLimitOptions } from './rate-limit.js'
export {
  createLimitStore,
  memoryLimitStore,
  redisLimitStore,
  type LimitStore,
  type RedisCommand,
  type UpdateText,
} from './limit-store.js'
export {
  readRateLimits,
  serverTime,
  type LimitState,
  type RateLimitHeaders,
  type Remaining,
} from './response-headers.js'
export {
  exponential,
  idempotencyKeys,
  retry,
  type Backoff,
  type ExponentialOptions,
  type RetryEvent,
  type RetryOptions,
} from './retry.js'
export { timeout, type TimeoutOptions } from './timeout.js'
