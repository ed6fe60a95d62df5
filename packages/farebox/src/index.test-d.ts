import type { EvmSigner } from '@farebox/auth'
import type { DetailedError, InsufficientBalance, LedgerEntry, ParsedText, PaymentRequired, StandardError } from '@farebox/types'
import { expectTypeOf, it } from 'vitest'
import { isFareboxError, type Farebox, type FareboxOptions } from './index.js'

declare const farebox: Farebox

it('a method takes one flat input and gives the data of its operation', () => {
  expectTypeOf(farebox.parseText).parameter(0).toHaveProperty('file')
  expectTypeOf(farebox.parseText({ file: new Blob() })).resolves.toEqualTypeOf<ParsedText | string>()
  expectTypeOf(farebox.createSpeech({ input: 'Hello' })).resolves.toEqualTypeOf<Response>()
  expectTypeOf(farebox.topUp).parameter(0).toEqualTypeOf<number>()
  expectTypeOf(farebox.transactions()).toEqualTypeOf<AsyncGenerator<LedgerEntry, void, undefined>>()
})

it('refuses fields and values that the contract does not have', () => {
  // @ts-expect-error -- the contract has six formats, and this is none of them
  void farebox.createSpeech({ input: 'Hello', response_format: 'ogg' })
  // @ts-expect-error -- input is required
  void farebox.createSpeech({})
  // @ts-expect-error -- there is no such operation
  void farebox.deleteEverything
})

it('an error that is asked for its operation and status has the body that the contract declares', () => {
  const error: unknown = undefined
  if (isFareboxError(error, 'parseText', 402)) {
    expectTypeOf(error.status).toEqualTypeOf<402>()
    expectTypeOf(error.body).toEqualTypeOf<InsufficientBalance | PaymentRequired | StandardError>()
  }
  if (isFareboxError(error, 'parseText', 400)) expectTypeOf(error.body).toEqualTypeOf<DetailedError>()
  // @ts-expect-error -- the contract declares no 404 for parseText
  isFareboxError(error, 'parseText', 404)
})

it('takes the signers of @farebox/auth', () => {
  expectTypeOf<EvmSigner>().toExtend<NonNullable<FareboxOptions['wallet']>>()
})
