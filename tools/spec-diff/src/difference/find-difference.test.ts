import { admits, type Json, type Schema } from '@farebox/codegen/model'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countRounds } from '../../../internal/testing/src/rounds.js'
import { createRandomPairs } from '../../test/random-pairs.js'
import { searchDifferences } from '../../test/witnesses.js'
import { createDifferenceSearch } from './find-difference.js'
import { createEnum, createArray, nothing, nowhere, createObject } from './schemas.js'

describe('by an independent validator', () => {
  it.each([11, 12, 13, 14, 15, 16].slice(0, countRounds(6)))(
    'a reported difference of random schemas is real, and none is missed by a proof: run %i',
    async (seed) => {
      const { pairs, shared } = createRandomPairs(seed, 150)
      const results = await searchDifferences(pairs, shared, 20_000)
      const wrong = results.filter(
        ({ solution, listed, isRight }) =>
          isRight === false || (solution === 'none' && listed !== undefined),
      )
      expect(wrong.map((one) => JSON.stringify(one))).toEqual([])
      const unknown = results.filter(({ solution }) => solution === 'unknown')
      expect(unknown.length).toBeLessThanOrEqual(results.length / 50)
    },
  )
})

it('finds each difference that a grid of numbers and lengths shows', () => {
  const bound = fc.oneof(
    fc.integer({ min: -20, max: 20 }),
    fc.integer({ min: -40, max: 40 }).map((halves) => halves / 2),
    fc.integer({ min: -200, max: 200 }).map((tenths) => tenths / 10),
  )
  const length = fc.nat({ max: 15 })
  const rules = <Rules extends object>(arbitraries: {
    [Name in keyof Rules]: fc.Arbitrary<Rules[Name]>
  }) => fc.record(arbitraries, { requiredKeys: [] })
  const bounds = {
    minimum: bound,
    maximum: bound,
    exclusiveMinimum: bound,
    exclusiveMaximum: bound,
  }
  const number = fc
    .tuple(
      fc.boolean(),
      fc.oneof(
        fc.constant({}),
        rules({ minimum: bound, maximum: bound }),
        rules({ ...bounds, multipleOf: fc.constantFrom(2, 3, 0.5) }),
      ),
    )
    .map(([integer, given]): Schema => ({ kind: 'number', notes: nowhere, integer, ...given }))
  const string = rules({ minLength: length, maxLength: length }).map((given): Schema => ({
    kind: 'string',
    notes: nowhere,
    ...given,
  }))
  const values = fc.array(
    fc.oneof(
      bound,
      length.map((count) => 'a'.repeat(count)),
    ),
    { minLength: 1 },
  )
  const one = fc.oneof(number, string, values.map(createEnum))
  const two = fc
    .tuple(one, one)
    .map((options): Schema => ({ kind: 'union', notes: nowhere, options }))
  const schema = fc.oneof(one, two)
  // numbers that are not whole are rare among differences of unrelated schemas
  const integers: Schema = { kind: 'number', notes: nowhere, integer: true }
  const pair = fc.oneof(
    fc.tuple(schema, schema),
    fc.tuple(number, fc.constant(integers)),
    fc.tuple(number, number),
  )
  const grid: readonly Json[] = [
    ...Array.from({ length: 1001 }, (_, index) => (index - 500) / 10),
    ...Array.from({ length: 401 }, (_, index) => (index - 200) / 4),
    ...Array.from({ length: 20 }, (_, index) => 'a'.repeat(index)),
    'b',
    null,
  ]
  fc.assert(
    fc.property(pair, ([accepting, rejecting]) => {
      const resolve = () => nothing
      const isDifference = (value: Json) =>
        admits(accepting, value, resolve) && !admits(rejecting, value, resolve)
      const found = createDifferenceSearch()(
        { schema: accepting, resolve },
        { schema: rejecting, resolve },
        { left: 5000 },
      )
      if (typeof found === 'object')
        expect([found.value, isDifference(found.value)]).toEqual([found.value, true])
      else if (found === 'none') expect(grid.find(isDifference)).toBeUndefined()
      // of multiples, not every number is tried
      else expect(JSON.stringify([accepting, rejecting])).toContain('multipleOf')
    }),
    { numRuns: countRounds(3000) },
  )
})

describe('a search for a difference', () => {
  const any = (schema: Schema, schemas: Readonly<Record<string, Schema>> = {}) => ({
    schema,
    resolve: (name: string) => schemas[name] ?? nothing,
  })
  const search = (accepting: ReturnType<typeof any>, rejecting: ReturnType<typeof any>) =>
    createDifferenceSearch()(accepting, rejecting, { left: 5000 })
  const text = (rules: object): Schema => ({ kind: 'string', notes: nowhere, ...rules })
  const number = (rules: object): Schema => ({
    kind: 'number',
    notes: nowhere,
    integer: false,
    ...rules,
  })

  it.each<readonly [name: string, accepting: Schema, rejecting: Schema, solution: unknown]>([
    ['between bounds', number({ minimum: 1, maximum: 2 }), number({ integer: true }), 1.5],
    [
      'between bounds far apart',
      number({ minimum: 0, maximum: 6 }),
      number({ integer: true }),
      0.25,
    ],
    [
      'of whole numbers below a fraction',
      number({ integer: true, maximum: -0.3 }),
      number({ minimum: -0.3 }),
      -2,
    ],
    ['of whole numbers', number({ integer: true }), number({}), 'none'],
    [
      'of a number beside listed ones',
      number({ integer: true, minimum: 1, maximum: 3 }),
      createEnum([1, 3]),
      2,
    ],
    [
      'of all listed numbers',
      number({ integer: true, minimum: 1, maximum: 2 }),
      createEnum([1, 2]),
      'none',
    ],
    [
      'of multiples',
      number({ multipleOf: 7, minimum: 8, maximum: 20 }),
      number({ maximum: 13 }),
      14,
    ],
    ['of no multiple', number({ multipleOf: 42, minimum: 21, maximum: 40 }), nothing, 'none'],
    ['of lengths', text({ minLength: 2 }), text({ minLength: 3 }), 'aa'],
    ['of a pattern', text({ pattern: '^[ab]$' }), createEnum(['a']), 'b'],
    ['of all strings of a pattern', text({ pattern: '^[ab]$' }), createEnum(['a', 'b']), 'none'],
    ['of a format that both have', text({ format: 'date' }), text({ format: 'date' }), 'none'],
    ['of a format that only one has', text({}), text({ format: 'date' }), ''],
    [
      'of long strings of a format',
      text({ format: 'uri', maxLength: 64 }),
      text({ format: 'uri', maxLength: 35 }),
      expect.stringMatching(/^.{36,64}$/),
    ],
    ['of equal items', createArray({}), createArray({ unique: true }), [null, null]],
    [
      'of items',
      createArray({ minItems: 1, items: text({}) }),
      createArray({ items: number({}) }),
      [''],
    ],
    ['of a required member', createObject({}), createObject({ alsoRequired: ['a'] }), {}],
    [
      'of names that match a pattern',
      createObject({ minProperties: 1, propertyNames: text({ pattern: '^x' }) }),
      createObject({ patterns: [{ pattern: '^x', schema: number({}) }] }),
      expect.anything(),
    ],
    [
      'of names that a pattern closes',
      createObject({ propertyNames: text({ pattern: '^x' }) }),
      createObject({
        patterns: [{ pattern: '^x', schema: createObject({}) }],
        additional: nothing,
      }),
      expect.anything(),
    ],
  ])('finds one %s', (_, accepting, rejecting, solution) => {
    const found = search(any(accepting), any(rejecting))
    expect(typeof found === 'object' ? found.value : found).toEqual(solution)
  })

  it('terminates for recursive schemas', () => {
    const ref = { kind: 'ref', notes: nowhere, name: 'Tree', cyclic: true } as const
    const tree = (rules: object) => createObject({ properties: [], ...rules })
    const endless = tree({ properties: [{ name: 'next', schema: ref, required: true }] })
    const optional = tree({ properties: [{ name: 'next', schema: ref, required: false }] })
    const deep = tree({
      properties: [
        { name: 'next', schema: ref, required: false },
        { name: 'size', schema: number({}), required: false },
      ],
    })
    expect(search(any(ref, { Tree: endless }), any(nothing))).toBe('none')
    expect(search(any(ref, { Tree: optional }), any(ref, { Tree: optional }))).toBe('none')
    expect(search(any(ref, { Tree: optional }), any(ref, { Tree: deep }))).toEqual({
      value: { size: null },
    })
    expect(search(any(ref, { Tree: ref }), any(nothing))).toBe('none')
  })

  it.each(['(a+)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(.*a){20}', '^(?:(?:a{1,50}){1,50}){1,50}$'])(
    'terminates for the pattern %s, which takes some regex engines hours',
    (pattern) => {
      const solution = search(any(text({ pattern })), any(text({ pattern: `${pattern}|^b*$` })))
      expect(['none', 'unknown']).toContain(solution)
    },
  )
})
