import type { ParsedText, TransactionHistory } from '@farebox/types'
import type { OperationId } from '@farebox/types/operations'
import { describe, expectTypeOf, it } from 'vitest'
import type { Handler, InputOf, JsonOf } from '../contract/handler.js'
import { handlers } from './handlers.js'

describe('handlers', () => {
  it('are there for every operation, and one that is missing does not compile', () => {
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

  it('give what the contract says', () => {
    expectTypeOf<JsonOf<'listTransactions'>>().toExtend<TransactionHistory>()
    expectTypeOf<JsonOf<'parseText'>>().toExtend<ParsedText>()
    // @ts-expect-error: tokens is missing
    const wrong: Handler<'parseText'> = async () => ({ json: { text: '' } })
    void wrong
  })
})
