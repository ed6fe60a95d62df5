import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../test/random-schemas.js'
import { readVerdicts } from '../../test/witnesses.js'

const text = (minLength: number): JsonSchema => ({ type: 'string', minLength })
const object = (properties: JsonSchema, rest: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...rest,
})
const [foo, bar] = [{ foo: { type: 'string' } }, { bar: { type: 'string' } }]
const either = (word: string): JsonSchema => ({
  [word]: [object(foo, { required: ['foo'] }), object(bar, { required: ['bar'] })],
})
const first = object({ a: { type: 'string' } })
const createTagged = (tag: string) =>
  object({ kind: { const: tag }, [tag]: { type: 'string' } }, { required: ['kind'] })
const createDetail = (rules: JsonSchema) =>
  object(
    Object.fromEntries(
      ['type', 'title', 'detail', 'instance'].map((name) => [name, { type: 'string', ...rules }]),
    ),
    { required: ['type', 'title', 'detail', 'instance'] },
  )
const createClosed = (name: string) =>
  object({ [name]: {} }, { required: [name], additionalProperties: false })
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
    object({ ...foo, ...bar }, { required: ['foo', 'bar'] }),
    either('oneOf'),
    ['major', 'major'],
  ],
  ['a choice becomes exclusive', either('anyOf'), either('oneOf'), ['major', 'minor']],
  ['a choice is no longer exclusive', either('oneOf'), either('anyOf'), ['minor', 'major']],
  [
    'a choice within a union becomes exclusive',
    { anyOf: [text(1), either('anyOf')] },
    { anyOf: [text(1), either('oneOf')] },
    ['major', 'minor'],
  ],
  [
    'an option of an exclusive choice grows',
    { oneOf: [text(1), text(5)] },
    { oneOf: [text(1), text(4)] },
    ['major', 'minor'],
  ],
  [
    'an option of an exclusive choice shrinks',
    { oneOf: [text(1), text(4)] },
    { oneOf: [text(1), text(5)] },
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
    { oneOf: [text(1), text(4)] },
    { oneOf: [text(1), text(4), text(7)] },
    ['none', 'none'],
  ],
  [
    'an exclusive choice is left with one option',
    { oneOf: [text(1), text(4)] },
    text(1),
    ['minor', 'major'],
  ],
  [
    'an exclusive choice of objects with tags gains one',
    { oneOf: [createTagged('a'), createTagged('b')] },
    { oneOf: [createTagged('a'), createTagged('b'), createTagged('c')] },
    ['minor', 'major'],
  ],
  [
    'an exclusive choice of closed objects gains a text',
    { oneOf: [createClosed('a'), createClosed('b')] },
    { oneOf: [createClosed('a'), createClosed('b'), { type: 'string' }] },
    ['minor', 'major'],
  ],
  [
    'a tag of an exclusive choice goes',
    { oneOf: [createTagged('a'), createTagged('b')] },
    { oneOf: [createTagged('a'), object({ b: {} })] },
    ['major', 'major'],
  ],
  [
    'a union gains an option',
    { anyOf: [text(1), { type: 'number' }] },
    { anyOf: [text(1), { type: 'number' }, { type: 'boolean' }] },
    ['minor', 'major'],
  ],
  [
    'an exclusive choice stands behind another name of a union',
    { anyOf: [{ oneOf: [text(1), text(4)] }, { type: 'null' }] },
    { oneOf: [text(1), text(4)] },
    ['major', 'minor'],
  ],

  [
    'the second part asks for more properties than the first',
    { allOf: [object({}, { minProperties: 1 }), object({}, { minProperties: 2 })] },
    { allOf: [object({}, { minProperties: 1 }), object({}, { minProperties: 3 })] },
    ['major', 'minor'],
  ],
  [
    'the second part takes shorter names than the first',
    {
      allOf: [
        object({}, { propertyNames: { maxLength: 9 } }),
        object({}, { propertyNames: { maxLength: 8 } }),
      ],
    },
    {
      allOf: [
        object({}, { propertyNames: { maxLength: 9 } }),
        object({}, { propertyNames: { maxLength: 1 } }),
      ],
    },
    ['major', 'minor'],
  ],
  [
    'the second part closes, and the first takes texts',
    {
      allOf: [
        object({ a: {} }, { additionalProperties: { type: 'string' } }),
        object({ a: {} }, { additionalProperties: { type: 'string' } }),
      ],
    },
    {
      allOf: [
        object({ a: {} }, { additionalProperties: { type: 'string' } }),
        object({ a: {} }, { additionalProperties: false }),
      ],
    },
    ['major', 'minor'],
  ],
  [
    'the second part, which is closed, names a property of the first',
    { allOf: [first, object({ b: {} }, { additionalProperties: false })] },
    { allOf: [first, object({ a: {}, b: {} }, { additionalProperties: false })] },
    ['minor', 'major'],
  ],
  [
    'two parts say the same as one',
    { allOf: [first, object({ b: {} }, { required: ['b'] })] },
    object({ a: { type: 'string' }, b: {} }, { required: ['b'] }),
    ['none', 'none'],
  ],

  ['a list becomes a bounded text', { enum: ['a', 'abc'] }, text(2), ['major', 'major']],
  [
    'a list becomes a text that takes all of it',
    { enum: ['ab', 'abc'] },
    text(2),
    ['minor', 'major'],
  ],
  ['a bounded text becomes a list', text(2), { enum: ['a', 'abc'] }, ['major', 'major']],
  ['a text becomes a list of what it takes', text(2), { enum: ['ab', 'abc'] }, ['major', 'minor']],
  [
    'a value becomes a bounded number',
    { const: 1 },
    { type: 'integer', minimum: 2 },
    ['major', 'major'],
  ],

  [
    'a map of numbers gains a text',
    object({}, { additionalProperties: { type: 'integer' } }),
    object({ a: { type: 'string' } }, { additionalProperties: { type: 'integer' } }),
    ['major', 'major'],
  ],
  [
    'a map of numbers gains a name for one',
    object({}, { additionalProperties: { type: 'integer' } }),
    object({ a: { type: 'integer' } }, { additionalProperties: { type: 'integer' } }),
    ['minor', 'minor'],
  ],
  [
    'a pattern of a closed object is gone',
    object({}, { patternProperties: { '^a': {} }, additionalProperties: false }),
    object({}, { additionalProperties: false }),
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
    'what a list contains': { type: 'array', contains: ref },
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
    'is there when a schema changes that is referred to from %s',
    async (_, schema) => {
      const shared = { before: { Text: text(1) }, after: { Text: text(3) } }
      const [verdicts] = await readVerdicts([{ before: schema, after: schema }], shared)
      expect(verdicts).toContain('major')
    },
  )
})
