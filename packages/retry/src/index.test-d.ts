import type { Call, Middleware } from '@farebox/middleware'
import { expectTypeOf, test } from 'vitest'
import {
  exponential,
  guard,
  observe,
  pace,
  paceStore,
  retry,
  shouldRetry,
  shouldRetryWithKey,
  type Backoff,
  type CallEvent,
  type GuardError,
  type GuardOptions,
  type Outcome,
  type PaceError,
  type PaceOptions,
  type PaceStore,
  type RetryError,
  type RetryOptions,
  type RetryRule,
  type UpdateText,
} from './index.js'
import { openTelemetry } from './opentelemetry.js'

test('retry is a middleware with options', () => {
  expectTypeOf(retry).toEqualTypeOf<(options?: RetryOptions) => Middleware>()
})

test('pace and guard are middleware with options', () => {
  expectTypeOf(pace).toEqualTypeOf<(options?: PaceOptions) => Middleware>()
  expectTypeOf(guard).toEqualTypeOf<(options?: GuardOptions) => Middleware>()
  expectTypeOf<PaceError['retryAt']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<GuardError['retryAt']>().toEqualTypeOf<number>()
})

test('a store has one method, and paceStore creates one from a place for strings', () => {
  expectTypeOf<keyof PaceStore>().toEqualTypeOf<'update'>()
  expectTypeOf(paceStore).toEqualTypeOf<(update: UpdateText, now?: () => number) => PaceStore>()
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
