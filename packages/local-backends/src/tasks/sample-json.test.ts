import { Ajv } from 'ajv'
import { expect, it } from 'vitest'
import { sampleJson } from './sample-json.js'

const text = { type: 'string' }
const createObjectSchema = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})

/** As tools and structured outputs of applications have them. */
const schemas = {
  strict: createObjectSchema({
    city: text,
    unit: { enum: ['c', 'f'] },
    note: { type: ['string', 'null'] },
  }),
  nested: createObjectSchema({
    steps: { type: 'array', items: createObjectSchema({ explanation: text, output: text }) },
  }),
  ofZod: createObjectSchema(
    { email: { ...text, format: 'email' } },
    { $schema: 'http://json-schema.org/draft-07/schema#' },
  ),
  ofPydantic: {
    $defs: {
      Item: createObjectSchema({
        name: { ...text, title: 'Name' },
        count: { type: 'integer', exclusiveMinimum: 0 },
      }),
    },
    ...createObjectSchema({
      items: { type: 'array', items: { $ref: '#/$defs/Item' }, minItems: 1 },
    }),
  },
  definitions: {
    definitions: { id: { ...text, pattern: '^[A-Z]{3}-\\d{4}$' } },
    ...createObjectSchema({ id: { $ref: '#/definitions/id' } }),
  },
  recursive: {
    $defs: {
      Node: createObjectSchema({
        value: { type: 'number', multipleOf: 0.25 },
        children: { type: 'array', items: { $ref: '#/$defs/Node' } },
      }),
    },
    $ref: '#/$defs/Node',
  },
  union: createObjectSchema({
    shape: {
      anyOf: [
        createObjectSchema({ kind: { const: 'circle' }, radius: { type: 'number', minimum: 0 } }),
        createObjectSchema({ kind: { const: 'square' }, side: { type: 'number' } }),
      ],
    },
  }),
  merged: {
    allOf: [
      createObjectSchema({ a: text }, { additionalProperties: true }),
      createObjectSchema({ b: { const: 3 } }, { additionalProperties: true }),
    ],
  },
  bounds: createObjectSchema({
    list: {
      type: 'array',
      items: { type: 'integer', minimum: 5, maximum: 9 },
      minItems: 3,
      maxItems: 3,
      uniqueItems: true,
    },
    name: { ...text, minLength: 20, maxLength: 21 },
  }),
  map: { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1 },
  anything: {},
  yes: true,
} as const

it.each(Object.entries(schemas))('makes a value for the schema %s', (_name, schema) => {
  const { $schema: _dialect, ...plain } = schema as Record<string, unknown>
  const validate = new Ajv({ strict: false, logger: false }).compile(plain)
  for (let seed = 0; seed < 20; seed++) {
    const value = JSON.parse(sampleJson(schema, seed, 'schema')) as unknown
    expect(validate(value), JSON.stringify(value)).toBe(true)
    expect(sampleJson(schema, seed, 'schema')).toBe(JSON.stringify(value))
  }
})

it.each([[null], [5], ['text'], [[]]])('rejects %j, which is no schema', (schema) => {
  expect(() => sampleJson(schema, 1, 'tools.x.parameters')).toThrow(/^tools\.x\.parameters: /)
})
