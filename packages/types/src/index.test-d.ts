import { expectTypeOf, it } from 'vitest'
import type {
  components,
  CreateSpeechRequest,
  operations as Declared,
  paths,
  StandardError,
} from './index.js'
import {
  operations,
  createSpeech,
  type Operation,
  type OperationId,
} from './table/generated/index.js'

it('each schema has a name of its own', () => {
  expectTypeOf<StandardError>().toEqualTypeOf<components['schemas']['StandardError']>()
  expectTypeOf<StandardError>().toExtend<{ error: string }>()
  expectTypeOf<CreateSpeechRequest>().toHaveProperty('input').toEqualTypeOf<string>()
})

it('the table has the operations of the declarations, and no others', () => {
  expectTypeOf<OperationId>().toEqualTypeOf<keyof Declared>()
  expectTypeOf<(typeof operations)[OperationId]['path']>().toEqualTypeOf<keyof paths>()
})

it('each row is an operation', () => {
  expectTypeOf<(typeof operations)[OperationId]>().toExtend<Operation>()
})

it('a row is known to the letter', () => {
  expectTypeOf(createSpeech).toEqualTypeOf(operations.createSpeech)
  expectTypeOf(createSpeech.id).toEqualTypeOf<'createSpeech'>()
  expectTypeOf(createSpeech.path).toEqualTypeOf<'/audio/speech'>()
  expectTypeOf(createSpeech.idempotent).toEqualTypeOf<false>()
  expectTypeOf(createSpeech.responses[200].kind).toEqualTypeOf<'binary'>()
  expectTypeOf(operations.parseText.maxFileBytes).toEqualTypeOf<{ readonly file: 26214400 }>()
})
