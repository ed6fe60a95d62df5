import * as validators from '@farebox/zod'
import { validators as operationValidators } from '@farebox/zod/operations'
import { countRounds } from '@farebox/testing/rounds'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Arbitraries } from './generated/arbitraries.js'
import * as schemas from './generated/index.js'
import * as requests from './generated/operations.js'
import * as responses from './generated/responses.js'

type Validator = {
  readonly safeParse: (value: unknown) => { readonly success: boolean; readonly error?: unknown }
}
type Pair = readonly [
  name: string,
  arbitraries: Arbitraries<unknown>,
  validator: Validator | undefined,
]

const runs = { numRuns: countRounds(200) }

const ofSchemas = Object.entries(schemas).map(([name, one]): Pair => [
  name,
  one,
  (validators as Readonly<Record<string, Validator>>)[name],
])

/** Parts stand where the validators of the same parts stand. */
function listPairs(name: string, made: object, validators: object): readonly Pair[] {
  return Object.entries(made).flatMap(([key, one]: [string, object]) => {
    const validator = (validators as Readonly<Record<string, object>>)[key] ?? {}
    return 'valid' in one
      ? [[`${name} ${key}`, one as Arbitraries<unknown>, validator as Validator] as const]
      : listPairs(`${name} ${key}`, one, validator)
  })
}

const ofOperations = Object.entries(requests).flatMap(([id, parts]) =>
  listPairs(id, parts, operationValidators[id as keyof typeof requests]),
)
const ofResponses = Object.entries(responses).flatMap(([id, parts]) =>
  listPairs(id, parts, operationValidators[id as keyof typeof responses].responses),
)

describe.each([...ofSchemas, ...ofOperations, ...ofResponses])(
  '%s',
  (_, { valid, nearMiss }, validator) => {
    it('valid values pass the validator', () => {
      fc.assert(
        fc.property(valid, (value) => {
          expect(validator?.safeParse(value).error).toBeUndefined()
        }),
        runs,
      )
    })

    it('near misses fail it', () => {
      expect(nearMiss).toBeDefined()
      if (nearMiss === undefined) return
      fc.assert(
        fc.property(nearMiss, (value) => {
          expect(validator?.safeParse(value).success).toBe(false)
        }),
        runs,
      )
    })
  },
)

describe('what is drawn', () => {
  it('there are arbitraries for every schema', () => {
    expect(Object.keys(schemas).toSorted()).toEqual(Object.keys(validators).toSorted())
  })

  it('the same seed draws the same values', () => {
    const draw = () => fc.sample(schemas.QueueVideoRequest.valid, { seed: 7, numRuns: 20 })
    expect(draw()).toEqual(draw())
  })

  it('every optional field is there at some time, and absent at another', () => {
    const drawn = fc.sample(schemas.CreateSpeechRequest.valid, { seed: 7, numRuns: 200 })
    for (const field of ['model', 'voice', 'speed'] as const)
      expect(new Set(drawn.map((value) => field in value))).toEqual(new Set([true, false]))
  })
})
