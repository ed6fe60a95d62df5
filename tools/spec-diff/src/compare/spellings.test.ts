import { describe, expect, it } from 'vitest'
import { build } from '../../../codegen/test/documents.js'
import { compareApi } from './contracts.js'
import { joinVerdicts, strictest } from '../change/verdict.js'

type Part = Readonly<Record<string, unknown>>

/** A document with an operation that takes and gives a schema. */
const withSchema = (schema: unknown, rest: Part = {}, version = '3.1.0') => ({
  openapi: version,
  info: { title: 'Trams', version: '1' },
  paths: {
    '/trams': {
      post: {
        operationId: 'makeTram',
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: { 200: { description: 'Made.', content: { 'application/json': { schema } } } },
      },
    },
  },
  components: { schemas: { Kind: { type: 'string', enum: ['tram', 'bus'] }, ...rest } },
})
const withParameter = (parameter: object) => {
  const { paths, ...rest } = withSchema({})
  const post = { ...paths['/trams'].post, parameters: [{ name: 'line', ...parameter }] }
  return { ...rest, paths: { '/trams': { post } } }
}
const createFieldSchema = (schema: unknown) => ({ type: 'object', properties: { field: schema } })
const kind = { $ref: '#/components/schemas/Kind' }

async function compare(before: object, after: object) {
  const changes = compareApi(await build(before), await build(after))
  return {
    codes: [...new Set(changes.map(({ code }) => code))],
    verdict: strictest(joinVerdicts(changes.map(({ verdicts }) => verdicts))),
  }
}

const withOldSchema = (schema: unknown, rest?: Part) => withSchema(schema, rest, '3.0.3')

describe('two spellings of the same set of values are not a change', () => {
  it.each<readonly [name: string, before: object, after: object]>([
    [
      'minLength: 0',
      withSchema(createFieldSchema({ type: 'string' })),
      withSchema(createFieldSchema({ type: 'string', minLength: 0 })),
    ],
    ...(
      [
        ['uuid', { minLength: 13, maxLength: 300 }],
        ['date', { pattern: '^[0-9-]{10}$', minLength: 4 }],
        ['date-time', { pattern: '^[\\w:.+-]*$', minLength: 20 }],
        ['time', { pattern: ':', minLength: 9 }],
        ['ipv4', { pattern: '^[\\d.]+$', maxLength: 15 }],
      ] as const
    ).map(([format, bounds]): readonly [string, object, object] => [
      `rules that each ${format} meets`,
      withSchema(createFieldSchema({ type: 'string', format })),
      withSchema(createFieldSchema({ type: 'string', format, ...bounds })),
    ]),
    [
      'base64 for sixteen hexadecimal digits',
      withSchema(createFieldSchema({ type: 'string', pattern: '^[0-9a-f]{16}$' })),
      withSchema(createFieldSchema({ type: 'string', pattern: '^[0-9a-f]{16}$', format: 'byte' })),
    ],
    [
      'an address for a name that is one',
      withSchema(createFieldSchema({ type: 'string', pattern: '^arn:aws[0-9a-z_:/-]+$' })),
      withSchema(
        createFieldSchema({ type: 'string', pattern: '^arn:aws[0-9a-z_:/-]+$', format: 'uri' }),
      ),
    ],
    [
      'maxItems above the number of different items',
      withSchema({ type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true }),
      withSchema({ type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true, maxItems: 2 }),
    ],
    [
      'minItems: 0 and uniqueItems: false',
      withSchema({ type: 'array' }),
      withSchema({ type: 'array', minItems: 0, uniqueItems: false }),
    ],
    [
      'minProperties: 0',
      withSchema({ type: 'object' }),
      withSchema({ type: 'object', minProperties: 0 }),
    ],
    [
      'minProperties of what is required',
      withSchema({ ...createFieldSchema({}), required: ['field'] }),
      withSchema({ ...createFieldSchema({}), required: ['field'], minProperties: 1 }),
    ],
    [
      'additionalProperties: true',
      withSchema(createFieldSchema({})),
      withSchema({ ...createFieldSchema({}), additionalProperties: true }),
    ],
    [
      'additionalProperties: {}',
      withSchema(createFieldSchema({})),
      withSchema({ ...createFieldSchema({}), additionalProperties: {} }),
    ],
    ...(
      [
        ['digits by their escape', '^[0-9]+$', '^\\d+$'],
        ['a class in another order', '^[a-z0-9_]{1,8}$', '^(?:[0-9]|[_a-z]){1,8}$'],
        ['a group for each character', '^(?:tram|bus)$', '^bus$|^tram$'],
        ['a pattern that matches anywhere', 'tram', '^[\\s\\S]*tram[\\s\\S]*$'],
      ] as const
    ).map(
      ([name, before, after]) =>
        [
          name,
          withSchema({ type: 'string', pattern: before }),
          withSchema({ type: 'string', pattern: after }),
        ] as const,
    ),
    [
      'lengths by a pattern',
      withSchema({ type: 'string', pattern: '^[0-9a-f]+$', minLength: 40, maxLength: 40 }),
      withSchema({ type: 'string', pattern: '^[0-9a-f]{40}$' }),
    ],
    [
      'a pattern of everything',
      withSchema({ type: 'string' }),
      withSchema({ type: 'string', pattern: '.*' }),
    ],
    [
      'names that are strings',
      withSchema({ type: 'object' }),
      withSchema({ type: 'object', propertyNames: { type: 'string' } }),
    ],
    [
      'an exclusive bound of an integer',
      withSchema({ type: 'integer', exclusiveMinimum: 0 }),
      withSchema({ type: 'integer', minimum: 1 }),
    ],
    [
      'a fraction as the bound of an integer',
      withSchema({ type: 'integer', maximum: 9.5 }),
      withSchema({ type: 'integer', exclusiveMaximum: 10 }),
    ],
    [
      'an exclusive bound of 3.0',
      withOldSchema({ type: 'number', minimum: 0, exclusiveMinimum: true }),
      withSchema({ type: 'number', exclusiveMinimum: 0 }),
    ],
    [
      'exclusiveMinimum: false of 3.0',
      withOldSchema({ type: 'number', minimum: 0 }),
      withOldSchema({ type: 'number', minimum: 0, exclusiveMinimum: false }),
    ],
    [
      'multiples of one',
      withSchema({ type: 'integer' }),
      withSchema({ type: 'number', multipleOf: 1 }),
    ],
    [
      'a bound that another implies',
      withSchema({ type: 'number', minimum: 3 }),
      withSchema({ type: 'number', minimum: 3, exclusiveMinimum: 1 }),
    ],
    [
      'constants and an array',
      withSchema(createFieldSchema({ enum: ['a', 'b'] })),
      withSchema(createFieldSchema({ oneOf: [{ const: 'a' }, { const: 'b' }] })),
    ],
    [
      'constants in anyOf and an array in another order',
      withSchema({ type: 'string', enum: ['a', 'b'] }),
      withSchema({ anyOf: [{ const: 'b' }, { const: 'a' }] }),
    ],
    ['both booleans', withSchema({ type: 'boolean' }), withSchema({ enum: [true, false] })],
    ['a constant', withSchema({ enum: ['a'] }), withSchema({ const: 'a' })],
    [
      'nullable of 3.0',
      withOldSchema({ type: 'string', nullable: true }),
      withSchema({ type: ['string', 'null'] }),
    ],
    [
      'nullable of 3.0 as a choice',
      withOldSchema({ type: 'string', nullable: true }),
      withSchema({ oneOf: [{ type: 'null' }, { type: 'string' }] }),
    ],
    [
      'a nullable reference of 3.0',
      withOldSchema(createFieldSchema({ allOf: [kind], nullable: true })),
      withSchema(createFieldSchema({ anyOf: [kind, { type: 'null' }] })),
    ],
    [
      'a nullable list of 3.0',
      withOldSchema({ type: 'string', nullable: true, enum: ['a', null] }),
      withSchema({ type: ['string', 'null'], enum: ['a', null] }),
    ],
    [
      'a reference and what it names',
      withSchema(createFieldSchema(kind)),
      withSchema(createFieldSchema({ type: 'string', enum: ['tram', 'bus'] })),
    ],
    [
      'a reference alone in allOf',
      withSchema(createFieldSchema(kind)),
      withSchema(createFieldSchema({ allOf: [kind] })),
    ],
    [
      'an array that may be null beside a nullable reference',
      withSchema(createFieldSchema({ enum: ['tram', 'bus', null] })),
      withSchema(createFieldSchema({ oneOf: [kind, { type: 'null' }] })),
    ],
    [
      'bytes in base64',
      withOldSchema({ type: 'string', format: 'byte' }),
      withSchema({ type: 'string', contentEncoding: 'base64' }),
    ],
    [
      'an example',
      withOldSchema({ type: 'string', example: 'a' }),
      withSchema({ type: 'string', examples: ['a'] }),
    ],
    [
      'bounds in allOf',
      withSchema({ type: 'string', minLength: 1, maxLength: 9 }),
      withSchema({
        allOf: [
          { type: 'string', minLength: 1 },
          { type: 'string', maxLength: 9 },
        ],
      }),
    ],
    [
      'an array that allOf narrows',
      withSchema({ enum: ['a'] }),
      withSchema({
        allOf: [{ enum: ['a', 'b'] }, { type: 'string', maxLength: 1, enum: ['a', 'c'] }],
      }),
    ],
    [
      'a type list and anyOf',
      withSchema({ type: ['string', 'integer'] }),
      withSchema({ anyOf: [{ type: 'integer' }, { type: 'string' }] }),
    ],
    [
      'an option twice',
      withSchema({ anyOf: [{ type: 'string' }, kind] }),
      withSchema({ anyOf: [{ type: 'string' }, kind, { type: 'string' }] }),
    ],
    [
      'an option that another contains',
      withSchema({ anyOf: [{ type: 'string' }, { type: 'integer' }] }),
      withSchema({
        anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'string', maxLength: 3 }],
      }),
    ],
    [
      'all types',
      withSchema({}),
      withSchema({ type: ['null', 'boolean', 'number', 'string', 'array', 'object'] }),
    ],
    [
      'no elements',
      withSchema({ type: 'array', items: { type: 'string' }, maxItems: 0 }),
      withSchema({ type: 'array', items: { type: 'integer' }, maxItems: 0 }),
    ],
    [
      'not of not',
      withSchema(createFieldSchema({ type: 'string' })),
      withSchema(createFieldSchema({ not: { not: { type: 'string' } } })),
    ],
    [
      'a pattern of every name',
      withSchema({ type: 'object', additionalProperties: { type: 'string' } }),
      withSchema({ type: 'object', patternProperties: { '.*': { type: 'string' } } }),
    ],
    [
      'unevaluatedProperties of objects in allOf',
      withSchema({
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        additionalProperties: false,
      }),
      withSchema({
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } } },
          { type: 'object', properties: { b: { type: 'string' } } },
        ],
        unevaluatedProperties: false,
      }),
    ],
    [
      'explode of one value',
      withParameter({ in: 'query', schema: { type: 'string' } }),
      withParameter({ in: 'query', explode: false, schema: { type: 'string' } }),
    ],
    [
      'explode of a deep object',
      withParameter({ in: 'query', style: 'deepObject', schema: createFieldSchema({}) }),
      withParameter({
        in: 'query',
        style: 'deepObject',
        explode: true,
        schema: createFieldSchema({}),
      }),
    ],
    [
      'explode of an array in a header',
      withParameter({ in: 'header', schema: { type: 'array', items: { type: 'string' } } }),
      withParameter({
        in: 'header',
        explode: true,
        schema: { type: 'array', items: { type: 'string' } },
      }),
    ],
    [
      'properties in another order',
      withSchema({ not: { properties: { a: {}, b: { type: 'string' } } } }),
      withSchema({ not: { properties: { b: { type: 'string' }, a: {} } } }),
    ],
  ])('%s', async (_, before, after) => {
    expect(await compare(before, after)).toEqual({ codes: [], verdict: 'none' })
    expect(await compare(after, before)).toEqual({ codes: [], verdict: 'none' })
  })
})

describe('a change that breaks nobody', () => {
  it.each<readonly [name: string, before: object, after: object, codes: readonly string[]]>([
    [
      'a format that no validator checks',
      withSchema({ type: 'string' }),
      withSchema({ type: 'string', format: 'password' }),
      ['format-described'],
    ],
    [
      'the size of a number',
      withSchema({ type: 'number', format: 'float' }),
      withSchema({ type: 'number', format: 'double' }),
      ['format-described'],
    ],
    [
      'a mark of read-only beside no request',
      responses({ type: 'object', properties: { id: { type: 'string' } } }),
      responses({ type: 'object', properties: { id: { type: 'string', readOnly: true } } }),
      ['schema-form-changed'],
    ],
    [
      'a field of a schema whose form no request uses',
      responses(withId({})),
      responses(withId({ more: { type: 'string' } })),
      ['response-property-added', 'schema-form-changed'],
    ],
  ])('%s', async (_, before, after, codes) => {
    const found = await compare(before, after)
    expect(found.codes).toEqual(codes)
    expect(found.verdict).not.toBe('major')
  })

  function withId(more: Part) {
    return { type: 'object', properties: { id: { type: 'string', readOnly: true }, ...more } }
  }
  function responses(schema: unknown) {
    const { paths, components, ...rest } = withSchema(
      { $ref: '#/components/schemas/Tram' },
      { Tram: schema },
    )
    const { requestBody: _, ...post } = paths['/trams'].post
    return { ...rest, components, paths: { '/trams': { post } } }
  }
})

it('a reference that may be null is named, and what else it names is reported once', async () => {
  const nullable = { oneOf: [{ type: 'null' }, kind] }
  expect(
    await compare(withSchema(createFieldSchema(kind)), withSchema(createFieldSchema(nullable))),
  ).toEqual({
    codes: ['request-null-added', 'response-null-added'],
    verdict: 'major',
  })
  const wider = { Kind: { type: 'string', enum: ['tram', 'bus', 'metro'] } }
  const changes = compareApi(
    await build(withSchema(createFieldSchema(nullable))),
    await build(withSchema(createFieldSchema(nullable), wider)),
  )
  expect(changes.map(({ code, subject }) => [code, subject])).toEqual([
    ['request-enum-widened', { kind: 'schema', name: 'Kind' }],
    ['response-enum-widened', { kind: 'schema', name: 'Kind' }],
  ])
})

it.each([
  ['https://trams.example', 'https://trams.example/'],
  ['https://trams.example/v1', 'https://Trams.example:443/v1/'],
])('a server is the same as %s and as %s', async (before, after) => {
  const at = (url: string) => ({ ...withSchema({}), servers: [{ url }] })
  expect(await compare(at(before), at(after))).toEqual({
    codes: ['server-description-changed'],
    verdict: 'none',
  })
})

it.each([
  [['eu', 'us'], ['us', 'eu'], [], 'none'],
  [['eu', 'us'], ['eu'], ['server-removed'], 'major'],
  [['eu'], ['eu', 'us'], ['server-added'], 'minor'],
  [['eu', 'us'], ['eu', 'jp'], ['server-removed', 'server-added'], 'major'],
  [undefined, ['eu'], ['server-removed'], 'major'],
  [['eu'], undefined, ['server-added'], 'minor'],
])('a server whose region was %j and is %j now', async (before, after, codes, verdict) => {
  const among = (values: readonly string[] | undefined) => ({
    ...withSchema({}),
    servers: [
      {
        url: 'https://{region}.example',
        variables: { region: { default: 'eu', ...(values && { enum: values }) } },
      },
    ],
  })
  expect(await compare(among(before), among(after))).toEqual({ codes, verdict })
})

it('the first of several servers gets the calls without a base URL', async () => {
  const among = (...urls: readonly string[]) => ({
    ...withSchema({}),
    servers: urls.map((url) => ({ url })),
  })
  const [live, test] = ['https://live.example', 'https://test.example']
  const changed = { codes: ['server-changed'], verdict: 'minor' }
  expect(await compare(among(live, test), among(test, live))).toEqual(changed)
  expect((await compare(among(live), among(test, live))).codes).toContain('server-changed')
  expect((await compare(among(live), among(live, test))).codes).toEqual(['server-added'])
})

it('explode of an object is not a spelling', async () => {
  const [before, after] = [false, true].map((explode) =>
    withParameter({ in: 'query', explode, schema: createFieldSchema({ type: 'string' }) }),
  )
  expect(await compare(before ?? {}, after ?? {})).toEqual({
    codes: ['request-parameter-style-changed'],
    verdict: 'major',
  })
})

it('removing a field that a direction omits is not reported', async () => {
  const withId = {
    ...createFieldSchema({}),
    properties: { id: { type: 'string', readOnly: true }, field: {} },
  }
  const { codes } = await compare(withSchema(withId), withSchema(createFieldSchema({})))
  expect(codes).toContain('request-property-added')
  expect(codes).not.toContain('request-property-removed')
  expect(codes).toContain('response-property-removed')
})

it('a discriminator that is only a hint is reported', async () => {
  const choice = (discriminator: object) =>
    withSchema(
      {
        oneOf: ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
        discriminator,
      },
      { Cat: { type: 'object' }, Dog: { type: 'object' } },
    )
  const codes = async (before: object, after: object) => [
    ...new Set((await compare(choice(before), choice(after))).codes),
  ]
  expect(await codes({ propertyName: 'kind' }, { propertyName: 'type' })).not.toEqual([])
  const createMapping = (tag: string) => ({
    propertyName: 'kind',
    mapping: { [tag]: '#/components/schemas/Cat', dog: 'Dog' },
  })
  expect(await codes(createMapping('cat'), createMapping('kitty'))).not.toEqual([])
  expect(await codes(createMapping('cat'), createMapping('cat'))).toEqual([])
})

it.each<readonly [name: string, rules: Part, bound: { readonly maxLength: number }]>([
  ['of a format', { format: 'date-time' }, { maxLength: 118 }],
  ['of base64', { format: 'byte' }, { maxLength: 80 }],
  [
    'beyond a hundred',
    { pattern: '^arn:[a-z0-9-]+:[0-9]+:room/[a-zA-Z0-9-]+$' },
    { maxLength: 150 },
  ],
  ['of many kinds of characters', { pattern: '^\\w(-*_*\\w)*$', maxLength: 63 }, { maxLength: 30 }],
])('a string %s that breaks is found', async (_, rules, bound) => {
  const [before, after] = [{}, bound].map((more) =>
    withSchema(createFieldSchema({ type: 'string', ...rules, ...more })),
  )
  const changes = compareApi(await build(before ?? {}), await build(after ?? {}))
  const [tightened] = changes.filter(({ code }) => code === 'request-bound-tightened')
  const more = rules['format'] === 'byte' ? 4 : 1
  expect(tightened?.witness?.value).toHaveLength(bound.maxLength + more)
})
