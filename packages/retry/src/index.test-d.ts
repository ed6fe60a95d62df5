import type { Call, Middleware } from '@farebox/middleware'
import { expectTypeOf, test } from 'vitest'
import { exponential, retry, shouldRetry, type Backoff, type Outcome, type RetryError, type RetryOptions, type RetryRule } from './index.js'

test('retry is a middleware with options', () => {
  expectTypeOf(retry).toEqualTypeOf<(options?: RetryOptions) => Middleware>()
})

test('policies are functions', () => {
  expectTypeOf(exponential()).toEqualTypeOf<Backoff>()
  expectTypeOf(shouldRetry).toEqualTypeOf<(call: Call, outcome: Outcome) => boolean>()
  expectTypeOf(shouldRetry).toExtend<RetryRule>()
})

test('the error says what happened', () => {
  expectTypeOf<RetryError['mayHaveArrived']>().toEqualTypeOf<boolean>()
  expectTypeOf<RetryError['attempts']>().toEqualTypeOf<number>()
  expectTypeOf<RetryError['retryAt']>().toEqualTypeOf<number | undefined>()
})
