import type { ParsedText, TransactionHistory } from '@farebox/types'
import type { OperationId } from '@farebox/types/operations'
import { describe, expectTypeOf, it } from 'vitest'
import { failure, invalidField } from '../contract/failures.js'
import type { CallerOf, FailureOf, Handler, InputOf, JsonOf } from '../contract/handler.js'
import type { Caller, KeyCaller, WalletCaller } from '../domain/accounts/authenticate.js'
import { handlers } from './handlers.js'

describe('handlers', () => {
  it('are there for every operation, and a missing one does not compile', () => {
    expectTypeOf<keyof typeof handlers>().toEqualTypeOf<OperationId>()
    const { parseText: _left, ...rest } = handlers
    // @ts-expect-error: parseText is missing
    const incomplete: typeof handlers = rest
    void incomplete
  })

  it('get fields that have a default', () => {
    expectTypeOf<InputOf<'listTransactions'>['limit']>().toEqualTypeOf<number>()
    expectTypeOf<InputOf<'listTransactions'>['offset']>().toEqualTypeOf<number | null>()
    expectTypeOf<InputOf<'parseText'>['response_format']>().toEqualTypeOf<'json' | 'text'>()
    expectTypeOf<InputOf<'createSpeech'>['speed']>().toEqualTypeOf<number>()
  })

  it('get the callers that the security of the operation admits', () => {
    type Anonymous = Extract<Caller, { readonly kind: 'anonymous' }>
    expectTypeOf<CallerOf<'getBalance'>>().toEqualTypeOf<WalletCaller>()
    expectTypeOf<CallerOf<'createApiKey'>>().toEqualTypeOf<KeyCaller>()
    expectTypeOf<CallerOf<'queueVideo'>>().toEqualTypeOf<WalletCaller | KeyCaller>()
    expectTypeOf<CallerOf<'listModels'>>().toEqualTypeOf<KeyCaller | Anonymous>()
    expectTypeOf<CallerOf<'topUp'>>().toEqualTypeOf<Anonymous>()
  })

  it('answer 200 with the body and the content type of the contract', () => {
    expectTypeOf<JsonOf<'listTransactions', '200'>>().toExtend<TransactionHistory>()
    expectTypeOf<JsonOf<'parseText', '200'>>().toExtend<ParsedText>()
    // @ts-expect-error: tokens is missing
    const incomplete: Handler<'parseText'> = async () => ({ status: 200, json: { text: '' } })
    // @ts-expect-error: getModel has no plain text
    const text: Handler<'getModel'> = async () => ({ status: 200, text: '' })
    const bytes = async function* () {
      yield new Uint8Array(1)
    }
    const spoken: Handler<'createSpeech'> = async () => ({
      status: 200,
      stream: bytes(),
      contentType: 'audio/mpeg',
    })
    // @ts-expect-error: createSpeech has no video
    const shown: Handler<'createSpeech'> = async () => ({
      status: 200,
      stream: bytes(),
      contentType: 'video/mp4',
    })
    void [incomplete, text, spoken, shown]
  })

  it('answer a failure only with a status and a body that the contract declares', () => {
    expectTypeOf<FailureOf<'getModel'>['status']>().toEqualTypeOf<401 | 404 | 429 | 500 | 503>()
    const declared: Handler<'getModel'> = async () =>
      failure(404, 'There is no such model.', 'MODEL_NOT_FOUND')
    // @ts-expect-error: getModel declares no 400
    const status: Handler<'getModel'> = async () => invalidField('id', 'Unknown.')
    // @ts-expect-error: 404 of getModel has an error
    const body: Handler<'getModel'> = async () => ({
      status: 404,
      json: { message: 'There is no such model.' },
    })
    // @ts-expect-error: 409 of topUp has a message
    const other: Handler<'topUp'> = async () => failure(409, 'In progress.', 'PAYMENT_IN_PROGRESS')
    // @ts-expect-error: no operation declares 418
    const unknown: Handler<'createSpeech'> = async () => failure(418, 'Teapot.', 'TEAPOT')
    void [declared, status, body, other, unknown]
  })
})
