import { describe, expect, it } from 'vitest'
import { build, diagnose, omitNotes, withSchemas } from '../../test/documents.js'

async function buildSubject(
  schema: unknown,
  version = '3.1.0',
  others: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const api = await build(withSchemas({ ...others, Subject: schema }, version))
  return omitNotes(api.schemas.find(({ name }) => name === 'Subject')?.schema)
}

const any = { kind: 'any' }
const never = { kind: 'never' }
const string = { kind: 'string' }
const number = { kind: 'number', integer: false }
const boolean = { kind: 'boolean' }
const nothing = { kind: 'null' }
const array = { kind: 'array', prefix: [], items: any, unique: false }
const object = {
  kind: 'object',
  properties: [],
  alsoRequired: [],
  patterns: [],
  additional: any,
  dependentRequired: [],
  dependentSchemas: [],
}
const createUnion = (...options: readonly unknown[]): unknown => ({ kind: 'union', options })
const createIntersection = (...parts: readonly unknown[]): unknown => ({
  kind: 'intersection',
  parts,
})
const createProperty = (name: string, schema: unknown, required = false): unknown => ({
  name,
  schema,
  required,
})
const createRef = (name: string, cyclic = false): unknown => ({ kind: 'ref', name, cyclic })

describe('a schema of JSON Schema 2020-12 becomes', () => {
  const table: readonly (readonly [string, unknown, unknown])[] = [
    ['any value for true', true, any],
    ['no value for false', false, never],
    ['any value for an empty object', {}, any],
    [
      'a string with its bounds',
      { type: 'string', minLength: 1, maxLength: 9, pattern: '^a', format: 'email' },
      { ...string, minLength: 1, maxLength: 9, pattern: '^a', format: 'email' },
    ],
    [
      'an integer',
      { type: 'integer', minimum: 1, exclusiveMaximum: 9, multipleOf: 2 },
      { kind: 'number', integer: true, minimum: 1, exclusiveMaximum: 9, multipleOf: 2 },
    ],
    ['a number where integer and number are both named', { type: ['integer', 'number'] }, number],
    [
      'a union for an array of types',
      { type: ['string', 'null'], maxLength: 3 },
      createUnion({ ...string, maxLength: 3 }, nothing),
    ],
    [
      'a union of all types for a keyword without one',
      { maxLength: 3 },
      createUnion(object, array, { ...string, maxLength: 3 }, number, boolean, nothing),
    ],
    ['listed values', { enum: ['a', 1, null, 'a'] }, { kind: 'enum', values: ['a', 1, null] }],
    [
      'only those listed values that the type admits',
      { type: 'integer', enum: [1, 1.5, 'a'] },
      { kind: 'enum', values: [1] },
    ],
    [
      'only those listed values that the bounds admit',
      { type: 'string', maxLength: 1, enum: ['a', 'bb'] },
      { kind: 'enum', values: ['a'] },
    ],
    ['no value where none of the listed is of the type', { type: 'string', enum: [1] }, never],
    ['one value for const', { const: { a: [1] } }, { kind: 'enum', values: [{ a: [1] }] }],
    ['null for const null', { const: null }, { kind: 'enum', values: [null] }],
    [
      'an open object',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'b'] },
      { ...object, properties: [createProperty('a', string, true)], alsoRequired: ['b'] },
    ],
    [
      'a closed object',
      { type: 'object', additionalProperties: false },
      { ...object, additional: never },
    ],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'number' }, minProperties: 1 },
      { ...object, additional: number, minProperties: 1 },
    ],
    [
      'an object with every other keyword',
      {
        type: 'object',
        patternProperties: { '^x-': true },
        propertyNames: { maxLength: 5 },
        maxProperties: 2,
        dependentRequired: { a: ['b'] },
        dependentSchemas: { a: { required: ['c'] } },
      },
      {
        ...object,
        patterns: [{ pattern: '^x-', schema: any }],
        propertyNames: { ...string, maxLength: 5 },
        maxProperties: 2,
        dependentRequired: [{ name: 'a', requires: ['b'] }],
        dependentSchemas: [{ name: 'a', schema: { ...object, alsoRequired: ['c'] } }],
      },
    ],
    [
      'an array',
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2, uniqueItems: true },
      { ...array, items: string, minItems: 1, maxItems: 2, unique: true },
    ],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }], items: false },
      { ...array, prefix: [string], items: never },
    ],
    [
      'an array that contains',
      { type: 'array', contains: { type: 'string' }, minContains: 0, maxContains: 2 },
      { ...array, contains: { schema: string, min: 0, max: 2 } },
    ],
    [
      'all of its parts',
      {
        allOf: [
          { type: 'string', minLength: 1 },
          { type: 'string', maxLength: 2 },
        ],
      },
      createIntersection({ ...string, minLength: 1 }, { ...string, maxLength: 2 }),
    ],
    ['its single part', { allOf: [{ type: 'string' }] }, string],
    [
      'its part read for the type that the other parts leave',
      { type: 'object', allOf: [{ required: ['a'] }] },
      createIntersection(object, { ...object, alsoRequired: ['a'] }),
    ],
    [
      'one of any',
      { anyOf: [{ type: 'string' }, { type: 'string', maxLength: 1 }] },
      createUnion(string, { ...string, maxLength: 1 }),
    ],
    [
      'exactly one where two could match',
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      { kind: 'oneOf', options: [number, { kind: 'number', integer: true }] },
    ],
    [
      'a plain union where no two can match',
      { oneOf: [{ type: 'string' }, { type: 'null' }] },
      createUnion(string, nothing),
    ],
    ['what is not', { not: { type: 'string' } }, { kind: 'not', schema: string }],
    [
      'a condition',
      { type: 'object', if: { required: ['a'] }, then: { required: ['b'] } },
      createIntersection(object, {
        kind: 'conditional',
        when: { ...object, alsoRequired: ['a'] },
        then: { ...object, alsoRequired: ['b'] },
        otherwise: any,
      }),
    ],
    [
      'a closed object for unevaluatedProperties without company',
      { type: 'object', unevaluatedProperties: false },
      { ...object, additional: never },
    ],
    [
      'what is left over for unevaluatedProperties beside allOf',
      { type: 'object', allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      {
        kind: 'unevaluated',
        base: createIntersection(object, { ...object, properties: [createProperty('a', any)] }),
        properties: never,
      },
    ],
    [
      'what is left over for unevaluatedItems beside contains',
      { type: 'array', contains: { type: 'string' }, unevaluatedItems: false },
      { ...array, contains: { schema: string, min: 1 }, unevaluated: never },
    ],
    [
      'items for unevaluatedItems without company',
      { type: 'array', prefixItems: [true], unevaluatedItems: false },
      { ...array, prefix: [any], items: never },
    ],
    [
      'bytes for a media type that is no text',
      { type: 'string', contentMediaType: 'application/octet-stream', maxLength: 5 },
      { kind: 'binary', maxBytes: 5 },
    ],
    [
      'a string for bytes that are encoded',
      { type: 'string', contentMediaType: 'image/png', contentEncoding: 'base64' },
      { ...string, encoding: 'base64' },
    ],
    [
      'an ordinary property for __proto__',
      { type: 'object', properties: JSON.parse('{"__proto__":{"type":"string"}}') as unknown },
      { ...object, properties: [createProperty('__proto__', string)] },
    ],
  ]
  it.each(table)('%s', async (_, schema, expected) => {
    expect(await buildSubject(schema)).toEqual(expected)
  })
})

describe('a schema of OpenAPI 3.0 becomes', () => {
  const table: readonly (readonly [string, unknown, unknown])[] = [
    ['a union for nullable', { type: 'string', nullable: true }, createUnion(string, nothing)],
    [
      'its values alone for a nullable enum without null',
      { type: 'string', nullable: true, enum: ['a'] },
      { kind: 'enum', values: ['a'] },
    ],
    [
      'a union for nullable beside allOf',
      { nullable: true, allOf: [{ type: 'string' }] },
      createUnion(string, nothing),
    ],
    [
      'a strict bound for a boolean exclusiveMinimum',
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      { ...number, exclusiveMinimum: 1 },
    ],
    [
      'a plain bound where exclusiveMinimum is false',
      { type: 'number', minimum: 1, exclusiveMinimum: false },
      { ...number, minimum: 1 },
    ],
    ['bytes for format binary', { type: 'string', format: 'binary' }, { kind: 'binary' }],
    [
      'the referred schema alone, whatever stands beside it',
      { $ref: '#/components/schemas/Other', minLength: 9 },
      createRef('Other'),
    ],
  ]
  it.each(table)('%s', async (_, schema, expected) => {
    expect(await buildSubject(schema, '3.0.3', { Other: { type: 'string' } })).toEqual(expected)
  })
})

describe('a reference', () => {
  it('is merged with its siblings', async () => {
    expect(
      await buildSubject({ $ref: '#/components/schemas/Other', maxLength: 2 }, '3.1.0', {
        Other: { type: 'string' },
      }),
    ).toEqual(createIntersection(createRef('Other'), { ...string, maxLength: 2 }))
  })

  it('keeps a description beside it as its own', async () => {
    const api = await build(
      withSchemas({
        Other: { type: 'string', description: 'A' },
        Subject: { $ref: '#/components/schemas/Other', description: 'B' },
      }),
    )
    expect(api.schemas[1]?.schema).toMatchObject({
      kind: 'ref',
      name: 'Other',
      notes: { description: 'B' },
    })
  })

  it('to $defs or a subschema names a schema', async () => {
    const api = await build(
      withSchemas({
        Subject: {
          type: 'object',
          properties: {
            a: { $ref: '#/components/schemas/Subject/$defs/Inner' },
            b: { $ref: '#/components/schemas/Subject/properties/c' },
            c: { type: 'null' },
          },
          $defs: { Inner: { type: 'string' } },
        },
      }),
    )
    expect(api.schemas.map(({ name }) => name)).toEqual(['SubjectInner', 'SubjectC', 'Subject'])
  })

  it('that closes a cycle is marked, as is every member of the cycle', async () => {
    const api = await build(
      withSchemas({
        A: { type: 'object', properties: { b: { $ref: '#/components/schemas/B' } } },
        B: { type: 'object', properties: { a: { $ref: '#/components/schemas/A' } } },
        C: { $ref: '#/components/schemas/A' },
      }),
    )
    expect(api.schemas.map(({ name, cyclic }) => [name, cyclic])).toEqual([
      ['B', true],
      ['A', true],
      ['C', false],
    ])
    expect(omitNotes(api.schemas[0]?.schema)).toEqual({
      ...object,
      properties: [createProperty('a', createRef('A', true))],
    })
    expect(omitNotes(api.schemas[1]?.schema)).toEqual({
      ...object,
      properties: [createProperty('b', createRef('B'))],
    })
  })

  it('comes after its dependencies, however long the chain', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [
        `S${index}`,
        index === 4999
          ? { type: 'string' }
          : { type: 'array', items: { $ref: `#/components/schemas/S${index + 1}` } },
      ]),
    )
    const api = await build(withSchemas(schemas))
    expect(api.schemas[0]?.name).toBe('S4999')
    expect(api.schemas.at(-1)?.name).toBe('S0')
  })
})

it.each(['enum: [1, .inf]', 'const: .nan'])(
  'a number that JSON cannot represent is an error: %s',
  async (value) => {
    const text = `openapi: 3.1.0
info: { title: T, version: '1' }
paths: {}
components: { schemas: { A: { ${value} } } }
`
    const faults = await diagnose({ 'openapi.yaml': text })
    expect(faults.map(({ code, found }) => [code, found])).toEqual([
      ['FB3002', value.includes('inf') ? 'Infinity' : 'NaN'],
    ])
  },
)

describe('a pattern without the u flag', () => {
  it.each([
    '^[\\w-.]+$',
    '^[.-\\d]+$',
    '^[a\\-\\s-\\w]$',
    '^[\\w-.]\\d-\\d?$',
    '^[\\w-\\\\-f]$',
    '^\\@{$',
  ])('%s accepts the same', async (pattern) => {
    const { pattern: read } = (await buildSubject({ type: 'string', pattern })) as {
      pattern?: string
    }
    const letters = Array.from('-.,+/\\w1df e@{_')
    for (const value of letters.flatMap((one) => [one, ...letters.map((two) => one + two)]))
      expect([value, new RegExp(read ?? '', 'u').test(value)]).toEqual([
        value,
        new RegExp(pattern).test(value),
      ])
  })
})

describe('a discriminator', () => {
  const withTag = (tag: unknown): unknown => ({
    type: 'object',
    required: ['kind'],
    properties: { kind: tag },
  })
  const choice = {
    oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
    discriminator: { propertyName: 'kind' },
  }

  it('distinguishes options by different required tags', async () => {
    const schema = await buildSubject(choice, '3.1.0', {
      Cat: withTag({ const: 'cat' }),
      Dog: withTag({ enum: ['dog', 'hound'] }),
    })
    expect(schema).toEqual({
      kind: 'oneOf',
      options: [createRef('Cat'), createRef('Dog')],
      discriminator: { property: 'kind', tags: [['cat'], ['dog', 'hound']] },
    })
  })

  it('is only a hint if two options have the same tag', async () => {
    const schema = await buildSubject(choice, '3.1.0', {
      Cat: withTag({ const: 'cat' }),
      Dog: withTag({ enum: ['cat', 'dog'] }),
    })
    expect(schema).toEqual({ kind: 'oneOf', options: [createRef('Cat'), createRef('Dog')] })
  })

  it('is only a hint if the tag is of another type', async () => {
    const schema = await buildSubject(choice, '3.1.0', {
      Cat: withTag({ type: 'integer' }),
      Dog: withTag({ const: 'dog' }),
    })
    expect(schema).toEqual({ kind: 'oneOf', options: [createRef('Cat'), createRef('Dog')] })
  })
})

describe('names of schemas', () => {
  it('are kept if they are identifiers, and changed otherwise', async () => {
    const api = await build(
      withSchemas({ 'simple-user': {}, SimpleUser: {}, import: {}, π: {}, '3d': {}, string: {} }),
    )
    expect(Object.fromEntries(api.schemas.map(({ key, name }) => [key, name]))).toEqual({
      '3d': '_3d',
      SimpleUser: 'SimpleUser',
      'simple-user': 'SimpleUser2',
      import: 'ImportSchema',
      string: 'StringSchema',
      π: 'π',
    })
  })
})

describe('a node', () => {
  it('is frozen and has its source location', async () => {
    const api = await build(
      withSchemas({
        Subject: { type: 'string', description: 'Words.', default: 'a', examples: ['b'] },
      }),
    )
    const schema = api.schemas[0]?.schema
    expect(Object.isFrozen(schema)).toBe(true)
    expect(schema?.notes).toMatchObject({
      description: 'Words.',
      default: 'a',
      examples: ['b'],
      origin: { file: 'openapi.json', pointer: '/components/schemas/Subject' },
    })
  })
})
