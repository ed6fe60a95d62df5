import type { Call, Middleware } from '@farebox/middleware'
import { expectTypeOf, test } from 'vitest'
import {
  exponential,
  failureBudget,
  observe,
  rateLimit,
  createLimitStore,
  retry,
  shouldRetry,
  shouldRetryWithKey,
  type Backoff,
  type CallEvent,
  type FailureBudgetError,
  type FailureBudgetOptions,
  type Outcome,
  type RateLimitError,
  type RateLimitOptions,
  type LimitStore,
  type RetryError,
  type RetryOptions,
  type RetryRule,
  type UpdateText,
} from './index.js'
import { openTelemetry } from './opentelemetry.js'

test('retry is a middleware with options', () => {
  expectTypeOf(retry).toEqualTypeOf<(options?: RetryOptions) => Middleware>()
})

test('rateLimit and failureBudget are middleware with options', () => {
  expectTypeOf(rateLimit).toEqualTypeOf<(options?: RateLimitOptions) => Middleware>()
  expectTypeOf(failureBudget).toEqualTypeOf<(options?: FailureBudgetOptions) => Middleware>()
  expectTypeOf<RateLimitError['retryAt']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<FailureBudgetError['retryAt']>().toEqualTypeOf<number>()
})

test('a store has one method, and createLimitStore makes one from a place for strings', () => {
  expectTypeOf<keyof LimitStore>().toEqualTypeOf<'update'>()
  expectTypeOf(createLimitStore).toEqualTypeOf<
    (update: UpdateText, now?: () => number) => LimitStore
  >()
})

test('events are discriminated by type', () => {
  expectTypeOf<CallEvent['type']>().toEqualTypeOf<
    'send' | 'response' | 'failure' | 'retry' | 'wait' | 'give-up'
  >()
  expectTypeOf(observe).returns.toEqualTypeOf<Middleware>()
  expectTypeOf(openTelemetry)
    .returns.parameter(0)
    .toEqualTypeOf<CallEvent | { readonly type: 'top-up' }>()
})

test('policies are functions', () => {
  expectTypeOf(exponential()).toEqualTypeOf<Backoff>()
  expectTypeOf(shouldRetry).toEqualTypeOf<(call: Call, outcome: Outcome) => boolean>()
  expectTypeOf(shouldRetry).toExtend<RetryRule>()
  expectTypeOf(shouldRetryWithKey).toExtend<RetryRule>()
})

test('RetryError has typed details', () => {
  expectTypeOf<RetryError['mayHaveArrived']>().toEqualTypeOf<boolean>()
  expectTypeOf<RetryError['attempts']>().toEqualTypeOf<number>()
  expectTypeOf<RetryError['retryAt']>().toEqualTypeOf<number | undefined>()
})
