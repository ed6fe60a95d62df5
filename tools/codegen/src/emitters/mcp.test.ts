import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { build, withOperation } from '../../test/documents.js'
import { buildSmallApi } from '../../test/small-api.js'
import type { JsonSchema } from '../emit/json-schema.js'
import { toInputSchema } from './mcp/input-schema.js'

type Body = Readonly<Record<string, unknown>>

const id = { name: 'id', in: 'query', required: true, schema: { type: 'string' } }
const cat = {
  type: 'object',
  properties: { kind: { const: 'cat' }, lives: { type: 'integer' }, name: { type: 'string' } },
  required: ['kind', 'lives'],
}
const dog = {
  type: 'object',
  properties: { kind: { const: 'dog' }, trick: { type: 'string' }, name: { type: 'string' } },
  required: ['kind'],
}
const closed = { additionalProperties: false }
const components = { schemas: { Cat: cat, Dog: dog } }
const createRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The input of an operation that takes a body, and one parameter beside it. */
async function createInputSchema(
  schema: Body,
  { parameters = [id], required = true } = {},
): Promise<JsonSchema> {
  const requestBody = { required, content: { 'application/json': { schema } } }
  const api = await build(
    withOperation({ operationId: 'doIt', parameters, requestBody }, '/things', { components }),
  )
  const [operation] = api.operations
  if (operation === undefined) throw new Error('There is no operation.')
  return toInputSchema(api, operation)
}

/**
 * Bodies in all the ways of saying "an object", with values that each of them takes beside the
 * parameter.
 */
const bodies: Readonly<Record<string, readonly [schema: Body, ...valid: readonly object[]]>> = {
  'an object': [cat, { kind: 'cat', lives: 9 }],
  'a reference': [createRef('Cat'), { kind: 'cat', lives: 9 }],
  'no rule at all': [{}, { body: 7 }],
  allOf: [
    {
      allOf: [cat, { type: 'object', properties: { age: { type: 'number' } }, required: ['age'] }],
    },
    { kind: 'cat', lives: 9, age: 1 },
  ],
  oneOf: [
    { oneOf: [createRef('Cat'), createRef('Dog')] },
    { kind: 'cat', lives: 9 },
    { kind: 'dog', trick: 'sit' },
  ],
  'oneOf with a discriminator': [
    { oneOf: [createRef('Cat'), createRef('Dog')], discriminator: { propertyName: 'kind' } },
    { kind: 'dog' },
  ],
  anyOf: [
    { anyOf: [createRef('Cat'), createRef('Dog')] },
    { kind: 'cat', lives: 9 },
    { kind: 'dog' },
  ],
  'anyOf beside properties': [
    { ...dog, anyOf: [{ required: ['trick'] }, { required: ['name'] }] },
    { kind: 'dog', name: 'Rex' },
  ],
  not: [{ ...dog, not: { required: ['lives'] } }, { kind: 'dog' }],
  'enum beside properties': [{ ...dog, enum: [{ kind: 'dog' }] }, { body: { kind: 'dog' } }],
  'if, then and else': [
    {
      ...dog,
      if: { required: ['trick'] },
      then: { properties: { name: { minLength: 3 } } },
      else: { properties: { name: { maxLength: 2 } } },
    },
    { kind: 'dog', trick: 'sit', name: 'Rex' },
    { kind: 'dog', name: 'Bo' },
  ],
  unevaluatedProperties: [
    { allOf: [cat, { properties: { age: { type: 'number' } } }], unevaluatedProperties: false },
    { kind: 'cat', lives: 9, age: 1 },
  ],
  dependentRequired: [{ ...dog, dependentRequired: { trick: ['name'] } }, { kind: 'dog' }],
  dependentSchemas: [
    { ...dog, dependentSchemas: { trick: { properties: { name: { minLength: 3 } } } } },
    { kind: 'dog', trick: 'sit', name: 'Rex' },
  ],
  'a greatest number of properties': [{ ...dog, maxProperties: 1 }, { kind: 'dog' }],
  'names by a pattern': [{ ...dog, propertyNames: { pattern: '^[a-z]{4,}$' } }, { kind: 'dog' }],
  'properties by a pattern': [
    { ...dog, patternProperties: { '^i': { type: 'number' } } },
    { body: { kind: 'dog', i1: 7 } },
  ],
  'a map': [{ type: 'object', additionalProperties: { type: 'number' } }, { body: { a: 1 } }],
  'an object or null': [{ type: ['object', 'null'], properties: { a: {} } }, { body: null }],
  'an array': [{ type: 'array', items: {} }, { body: [1] }],
  'one of some texts': [{ enum: ['a', 'b'] }, { body: 'a' }],
  'a closed choice': [
    {
      oneOf: [
        { ...cat, ...closed },
        { ...dog, ...closed },
      ],
    },
    { kind: 'cat', lives: 9 },
    { kind: 'dog', trick: 'sit' },
  ],
  'a choice of choices': [
    { anyOf: [{ oneOf: [cat, dog] }, { allOf: [{ anyOf: [cat, dog] }, { required: ['name'] }] }] },
    { kind: 'dog', name: 'Bo' },
  ],
}

/**
 * What hosts take at the root of an input (Anthropic and OpenAI reject the whole request
 * otherwise).
 */
const atRoot = [
  '$schema',
  'description',
  'type',
  'properties',
  'required',
  'additionalProperties',
  '$defs',
]

const ajv = new Ajv2020({ strict: false, allErrors: true })

describe('the input of a tool', () => {
  it.each(Object.entries(bodies))(
    'is a plain object for a body of %s, and accepts what the body accepts',
    async (_what, [schema, ...valid]) => {
      for (const [parameters, beside] of [
        [[], {}],
        [[id], { id: '7' }],
      ] as const) {
        const input = await createInputSchema(schema, { parameters: [...parameters] })
        expect(Object.keys(input).filter((keyword) => !atRoot.includes(keyword))).toEqual([])
        expect(input).toMatchObject({ type: 'object', properties: {} })
        const validate = ajv.compile(input)
        for (const value of valid)
          expect([validate({ ...value, ...beside }), validate.errors]).toEqual([true, null])
      }
    },
  )

  it('has every property of every variant, and requires those that all variants require', async () => {
    expect(await createInputSchema({ oneOf: [createRef('Cat'), createRef('Dog')] })).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        id: { type: 'string' },
        kind: { type: 'string', enum: ['cat', 'dog'] },
        lives: { type: 'integer' },
        name: { type: 'string' },
        trick: { type: 'string' },
      },
      required: ['id', 'kind'],
    })
  })

  it('merges what several parts state about a property, except conditional constraints', async () => {
    const { properties } = await createInputSchema({
      allOf: [
        { type: 'object', properties: { name: { type: 'string' } } },
        {
          type: 'object',
          properties: { name: { type: 'string', maxLength: 9 }, urls: { type: 'array' } },
        },
        {
          if: { required: ['name'] },
          then: { properties: { urls: { type: 'array', minItems: 1 }, more: { type: 'boolean' } } },
        },
      ],
    })
    expect(properties).toMatchObject({
      name: { allOf: [{ type: 'string' }, { type: 'string', maxLength: 9 }] },
      more: { type: 'boolean' },
    })
    expect(JSON.stringify(properties)).not.toContain('minItems')
  })

  it('keeps the description of a body whose constraints are omitted', async () => {
    expect(
      await createInputSchema({ description: 'Give one of them.', anyOf: [cat, dog] }),
    ).toMatchObject({
      description: 'Give one of them.',
    })
  })

  it('is closed if the contract accepts nothing else, and open if the body is', async () => {
    const isClosed = async (schema: Body) =>
      (await createInputSchema(schema))['additionalProperties']
    expect(
      await isClosed({
        oneOf: [
          { ...cat, ...closed },
          { ...dog, ...closed },
        ],
      }),
    ).toBe(false)
    expect(await isClosed({ type: 'array', items: {} })).toBe(false)
    expect(await isClosed({ oneOf: [{ ...cat, ...closed }, dog] })).toBeUndefined()
    expect(await isClosed(cat)).toBeUndefined()
    const api = await buildSmallApi()
    const inputs = api.operations.map((operation) => [
      operation.id,
      toInputSchema(api, operation)['additionalProperties'],
    ])
    expect(Object.fromEntries(inputs)).toMatchObject({ getPet: false, sendXml: false })
  })

  it('requires nothing of an optional body', async () => {
    expect(
      await createInputSchema({ allOf: [cat, { required: ['age'] }] }, { required: false }),
    ).toMatchObject({ required: ['id'] })
  })

  it('has tuple items that hosts with draft-07 also accept', async () => {
    const pair = { prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false }
    const { properties } = await createInputSchema({
      type: 'object',
      properties: { pair, one: { ...pair, maxItems: 1 } },
    })
    for (const validators of [ajv, new Ajv({ strict: false })]) {
      const isValid = validators.compile({ properties })
      expect(isValid({ pair: ['a', 1], one: ['a'] })).toBe(true)
      expect(isValid({ pair: ['a', 1, 2] })).toBe(false)
      expect(isValid({ one: ['a', 1] })).toBe(false)
    }
  })

  it('states how a string is encoded', async () => {
    const { properties } = await createInputSchema({
      type: 'object',
      properties: { key: { type: 'string', contentEncoding: 'base64url', maxLength: 9 } },
    })
    expect(properties).toMatchObject({
      key: { type: 'string', contentEncoding: 'base64url', maxLength: 9 },
    })
  })

  it('is built quickly for variants that share their parts', async () => {
    const levels = Array.from({ length: 40 }, (_, level) => level)
    const schemas = Object.fromEntries(
      levels.map((level) => [
        `L${level}`,
        level === 39
          ? dog
          : {
              allOf: [
                createRef(`L${level + 1}`),
                { properties: { [`p${level}`]: { type: 'string' } } },
                createRef(`L${level + 1}`),
              ],
            },
      ]),
    )
    const api = await build({
      ...(withOperation({
        operationId: 'doIt',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { type: 'object' } } },
        },
      }) as object),
      components: { schemas },
    })
    const { foldObject } = await import('./mcp/input-schema.js')
    const top = api.schemas.find(({ name }) => name === 'L0')?.schema
    expect(top && foldObject(api, top).properties).toHaveLength(42)
  })
})
