import { expectTypeOf, test } from 'vitest'
import type { Call, CallBody, Middleware, Operation, Send } from './index.js'
import { compose, fetchSend, isResendable, withHeader, withMiddleware } from './index.js'

test('the public functions have the documented types', () => {
  expectTypeOf(compose).toEqualTypeOf<(send: Send, middleware: readonly Middleware[]) => Send>()
  expectTypeOf(fetchSend).toEqualTypeOf<(fetch: typeof globalThis.fetch) => Send>()
  expectTypeOf(withMiddleware).toEqualTypeOf<
    (fetch: typeof globalThis.fetch, ...middleware: Middleware[]) => typeof globalThis.fetch
  >()
  expectTypeOf(withHeader).toEqualTypeOf<(call: Call, name: string, value: string) => Call>()
  expectTypeOf(isResendable).returns.toEqualTypeOf<boolean>()
})

test('a call is plain read-only data', () => {
  expectTypeOf<Call['body']>().toEqualTypeOf<CallBody | null | undefined>()
  expectTypeOf<Call['operation']>().toEqualTypeOf<Operation | undefined>()
  const call: Call = { url: '', method: 'GET', headers: new Headers() }
  // @ts-expect-error a call is never changed in place
  call.method = 'POST'
})

test('an entry of the operation table is an Operation', () => {
  const createSpeech = {
    id: 'createSpeech',
    method: 'POST',
    path: '/audio/speech',
    tags: ['Speech'],
    security: [['BearerAuth'], ['siwx']],
    idempotent: false,
    rateLimit: 'audio',
  } as const
  expectTypeOf(createSpeech).toExtend<Operation>()
})
