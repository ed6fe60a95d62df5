import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../test/random-schemas.js'
import { readVerdicts } from '../../test/witnesses.js'

const createStringSchema = (minLength: number): JsonSchema => ({ type: 'string', minLength })
const createObjectSchema = (properties: JsonSchema, rest: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...rest,
})
const [foo, bar] = [{ foo: { type: 'string' } }, { bar: { type: 'string' } }]
const createChoice = (word: string): JsonSchema => ({
  [word]: [
    createObjectSchema(foo, { required: ['foo'] }),
    createObjectSchema(bar, { required: ['bar'] }),
  ],
})
const first = createObjectSchema({ a: { type: 'string' } })
const createTagged = (tag: string) =>
  createObjectSchema({ kind: { const: tag }, [tag]: { type: 'string' } }, { required: ['kind'] })
const createDetail = (rules: JsonSchema) =>
  createObjectSchema(
    Object.fromEntries(
      ['type', 'title', 'detail', 'instance'].map((name) => [name, { type: 'string', ...rules }]),
    ),
    { required: ['type', 'title', 'detail', 'instance'] },
  )
const createClosed = (name: string) =>
  createObjectSchema({ [name]: {} }, { required: [name], additionalProperties: false })
const ref: JsonSchema = { $ref: '#/components/schemas/Text' }

type Verdicts = readonly [request: string, response: string]

/** The verdict of each change for the validators, by the direction of the values. */
const rows: readonly (readonly [
  name: string,
  before: JsonSchema,
  after: JsonSchema,
  verdicts: Verdicts,
])[] = [
  [
    'an object becomes an exclusive choice',
    createObjectSchema({ ...foo, ...bar }, { required: ['foo', 'bar'] }),
    createChoice('oneOf'),
    ['major', 'major'],
  ],
  ['a choice becomes exclusive', createChoice('anyOf'), createChoice('oneOf'), ['major', 'minor']],
  [
    'a choice is no longer exclusive',
    createChoice('oneOf'),
    createChoice('anyOf'),
    ['minor', 'major'],
  ],
  [
    'a choice within a union becomes exclusive',
    { anyOf: [createStringSchema(1), createChoice('anyOf')] },
    { anyOf: [createStringSchema(1), createChoice('oneOf')] },
    ['major', 'minor'],
  ],
  [
    'an option of an exclusive choice grows',
    { oneOf: [createStringSchema(1), createStringSchema(5)] },
    { oneOf: [createStringSchema(1), createStringSchema(4)] },
    ['major', 'minor'],
  ],
  [
    'an option of an exclusive choice shrinks',
    { oneOf: [createStringSchema(1), createStringSchema(4)] },
    { oneOf: [createStringSchema(1), createStringSchema(5)] },
    ['minor', 'major'],
  ],
  [
    'an option of an exclusive choice that accepts nothing shrinks',
    { oneOf: Array.from({ length: 8 }, () => createDetail({})) },
    {
      oneOf: [...Array.from({ length: 7 }, () => createDetail({})), createDetail({ minLength: 9 })],
    },
    ['none', 'none'],
  ],
  [
    'an exclusive choice gains an option whose values were rejected anyway',
    { oneOf: [createStringSchema(1), createStringSchema(4)] },
    { oneOf: [createStringSchema(1), createStringSchema(4), createStringSchema(7)] },
    ['none', 'none'],
  ],
  [
    'an exclusive choice is left with one option',
    { oneOf: [createStringSchema(1), createStringSchema(4)] },
    createStringSchema(1),
    ['minor', 'major'],
  ],
  [
    'an exclusive choice of objects with tags gains one',
    { oneOf: [createTagged('a'), createTagged('b')] },
    { oneOf: [createTagged('a'), createTagged('b'), createTagged('c')] },
    ['minor', 'major'],
  ],
  [
    'an exclusive choice of closed objects gains a string',
    { oneOf: [createClosed('a'), createClosed('b')] },
    { oneOf: [createClosed('a'), createClosed('b'), { type: 'string' }] },
    ['minor', 'major'],
  ],
  [
    'a tag of an exclusive choice goes',
    { oneOf: [createTagged('a'), createTagged('b')] },
    { oneOf: [createTagged('a'), createObjectSchema({ b: {} })] },
    ['major', 'major'],
  ],
  [
    'a union gains an option',
    { anyOf: [createStringSchema(1), { type: 'number' }] },
    { anyOf: [createStringSchema(1), { type: 'number' }, { type: 'boolean' }] },
    ['minor', 'major'],
  ],
  [
    'an exclusive choice stands behind another name of a union',
    { anyOf: [{ oneOf: [createStringSchema(1), createStringSchema(4)] }, { type: 'null' }] },
    { oneOf: [createStringSchema(1), createStringSchema(4)] },
    ['major', 'minor'],
  ],

  [
    'the second part asks for more properties than the first',
    {
      allOf: [
        createObjectSchema({}, { minProperties: 1 }),
        createObjectSchema({}, { minProperties: 2 }),
      ],
    },
    {
      allOf: [
        createObjectSchema({}, { minProperties: 1 }),
        createObjectSchema({}, { minProperties: 3 }),
      ],
    },
    ['major', 'minor'],
  ],
  [
    'the second part takes shorter names than the first',
    {
      allOf: [
        createObjectSchema({}, { propertyNames: { maxLength: 9 } }),
        createObjectSchema({}, { propertyNames: { maxLength: 8 } }),
      ],
    },
    {
      allOf: [
        createObjectSchema({}, { propertyNames: { maxLength: 9 } }),
        createObjectSchema({}, { propertyNames: { maxLength: 1 } }),
      ],
    },
    ['major', 'minor'],
  ],
  [
    'the second part closes, and the first takes texts',
    {
      allOf: [
        createObjectSchema({ a: {} }, { additionalProperties: { type: 'string' } }),
        createObjectSchema({ a: {} }, { additionalProperties: { type: 'string' } }),
      ],
    },
    {
      allOf: [
        createObjectSchema({ a: {} }, { additionalProperties: { type: 'string' } }),
        createObjectSchema({ a: {} }, { additionalProperties: false }),
      ],
    },
    ['major', 'minor'],
  ],
  [
    'the second part, which is closed, names a property of the first',
    { allOf: [first, createObjectSchema({ b: {} }, { additionalProperties: false })] },
    { allOf: [first, createObjectSchema({ a: {}, b: {} }, { additionalProperties: false })] },
    ['minor', 'major'],
  ],
  [
    'two parts say the same as one',
    { allOf: [first, createObjectSchema({ b: {} }, { required: ['b'] })] },
    createObjectSchema({ a: { type: 'string' }, b: {} }, { required: ['b'] }),
    ['none', 'none'],
  ],

  [
    'an array becomes a bounded string',
    { enum: ['a', 'abc'] },
    createStringSchema(2),
    ['major', 'major'],
  ],
  [
    'an array becomes a string that takes all of it',
    { enum: ['ab', 'abc'] },
    createStringSchema(2),
    ['minor', 'major'],
  ],
  [
    'a bounded string becomes an array',
    createStringSchema(2),
    { enum: ['a', 'abc'] },
    ['major', 'major'],
  ],
  [
    'a string becomes an array of what it takes',
    createStringSchema(2),
    { enum: ['ab', 'abc'] },
    ['major', 'minor'],
  ],
  [
    'a value becomes a bounded number',
    { const: 1 },
    { type: 'integer', minimum: 2 },
    ['major', 'major'],
  ],

  [
    'a map of numbers gains a string',
    createObjectSchema({}, { additionalProperties: { type: 'integer' } }),
    createObjectSchema({ a: { type: 'string' } }, { additionalProperties: { type: 'integer' } }),
    ['major', 'major'],
  ],
  [
    'a map of numbers gains a name for one',
    createObjectSchema({}, { additionalProperties: { type: 'integer' } }),
    createObjectSchema({ a: { type: 'integer' } }, { additionalProperties: { type: 'integer' } }),
    ['minor', 'minor'],
  ],
  [
    'a pattern of a closed object is gone',
    createObjectSchema({}, { patternProperties: { '^a': {} }, additionalProperties: false }),
    createObjectSchema({}, { additionalProperties: false }),
    ['major', 'minor'],
  ],
]

describe('the verdict for the validators', () => {
  it.each(rows)('when %s', async (_, before, after, verdicts) => {
    const [found] = await readVerdicts([{ before, after }], { before: {}, after: {} })
    expect(found).toEqual(verdicts)
  })

  const behind: Readonly<Record<string, JsonSchema>> = {
    'what is not to be': { not: ref },
    'a condition': { if: ref, then: { minLength: 2 }, else: {} },
    'what an array contains': { type: 'array', contains: ref },
    'names of properties': { type: 'object', propertyNames: ref },
    'properties by a pattern': { type: 'object', patternProperties: { '^a': ref } },
    'what another property asks for': {
      type: 'object',
      dependentSchemas: { a: { properties: { b: ref } } },
    },
    'lists of other properties': {
      type: 'object',
      additionalProperties: { type: 'array', items: ref },
    },
    'what nothing else evaluates': { type: 'object', allOf: [first], unevaluatedProperties: ref },
    'a rule beside others': { allOf: [{ type: 'string', maxLength: 9 }, { not: ref }] },
  }
  it.each(Object.entries(behind))(
    'is present when a schema changes that is referenced from %s',
    async (_, schema) => {
      const shared = {
        before: { Text: createStringSchema(1) },
        after: { Text: createStringSchema(3) },
      }
      const [verdicts] = await readVerdicts([{ before: schema, after: schema }], shared)
      expect(verdicts).toContain('major')
    },
  )
})
