import { describe, expect, it } from 'vitest'
import { build, omitNotes, withOperation } from '../../test/documents.js'
import type { Operation } from './api.js'

async function buildOperation(
  fields: Readonly<Record<string, unknown>>,
  path?: string,
  rest?: Readonly<Record<string, unknown>>,
): Promise<Operation> {
  const [first] = (await build(withOperation(fields, path, rest))).operations
  if (first === undefined) throw new Error('The document has no operation.')
  return first
}

const createJsonContent = (schema: unknown): unknown => ({
  content: { 'application/json': { schema } },
})
const listFields = async (schema: unknown): Promise<readonly unknown[]> => {
  const { body } = await buildOperation({ requestBody: createJsonContent(schema) })
  return body?.contents.flatMap(({ flatten, fields }) => [flatten, ...fields]) ?? []
}

describe('an operation', () => {
  it('is named by its operationId, or else by method and path', async () => {
    expect((await buildOperation({ operationId: 'Make_thing' })).id).toBe('makeThing')
    expect((await buildOperation({})).id).toBe('postThings')
  })

  it('is repeatable by its method unless it says otherwise', async () => {
    expect((await buildOperation({})).idempotent).toBe(false)
    expect((await buildOperation({ 'x-idempotent': true })).idempotent).toBe(true)
  })

  it('inherits the security of the document if it has none', async () => {
    const rest = {
      security: [{ key: [] }, {}],
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    }
    expect((await buildOperation({}, '/things', rest)).security).toEqual([['key'], []])
    expect((await buildOperation({ security: [] }, '/things', rest)).security).toEqual([[]])
    expect(await buildOperation({}, '/things', rest)).not.toHaveProperty('scopes')
    expect((await buildOperation({})).security).toEqual([[]])
  })

  it('keeps its extensions, tags and descriptions', async () => {
    expect(
      await buildOperation({
        'x-price': 1,
        tags: ['A'],
        summary: 'S',
        description: 'D',
        deprecated: true,
      }),
    ).toMatchObject({
      extensions: { 'x-price': 1 },
      tags: ['A'],
      summary: 'S',
      description: 'D',
      deprecated: true,
    })
  })
})

describe('parameters', () => {
  it('of the path are merged with those of the operation, which win', async () => {
    const api = await build({
      openapi: '3.1.0',
      info: { title: 'Test', version: '1' },
      paths: {
        '/a/{id}': {
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'q', in: 'query', schema: { type: 'string' } },
          ],
          get: {
            parameters: [{ name: 'q', in: 'query', schema: { type: 'integer' } }],
            responses: {},
          },
        },
      },
    })
    expect(
      api.operations[0]?.parameters.map(({ name, schema }) => [name, omitNotes(schema)]),
    ).toEqual([
      ['id', { kind: 'string' }],
      ['q', { kind: 'number', integer: true }],
    ])
  })

  it('have the styles of the specification by default', async () => {
    const { parameters } = await buildOperation(
      {
        parameters: ['path', 'query', 'header', 'cookie'].map((place) => ({
          name: `${place}-a`,
          in: place,
          required: true,
          schema: {},
        })),
      },
      '/things/{path-a}',
    )
    expect(
      parameters.map((parameter) => [
        parameter.in,
        parameter.field,
        parameter.style,
        parameter.explode,
      ]),
    ).toEqual([
      ['path', 'path-a', 'simple', false],
      ['query', 'query-a', 'form', true],
      ['header', 'headerA', 'simple', false],
      ['cookie', 'cookie-a', 'form', true],
    ])
  })

  it("keep their names next to a body, and take precedence over a body's name", async () => {
    const names = ['id', 'body', 'contentType', 'requestBody']
    const parameters = names.map((name) => ({ name, in: 'query', schema: {} }))
    const fields = async (rest: object) =>
      (await buildOperation({ parameters, ...rest })).parameters.map(({ field }) => field)
    const expected = ['id', 'queryBody', 'queryContentType', 'queryRequestBody']
    expect(await fields({})).toEqual(expected)
    expect(
      await fields({
        requestBody: createJsonContent({ type: 'object', properties: { id: {}, queryBody: {} } }),
      }),
    ).toEqual(expected)
    expect(await fields({ requestBody: createJsonContent({ type: 'array' }) })).toEqual(expected)
  })

  it('that a security scheme of the operation sets are marked', async () => {
    const rest = {
      components: {
        securitySchemes: { siwx: { type: 'apiKey', in: 'header', name: 'SIGN-IN-WITH-X' } },
      },
    }
    const parameters = [{ name: 'Sign-In-With-X', in: 'header', schema: {} }]
    const guarded = await buildOperation(
      { parameters, security: [{}, { siwx: [] }] },
      '/things',
      rest,
    )
    expect(guarded.parameters[0]).toMatchObject({ field: 'signInWithX', credential: true })
    const open = await buildOperation({ parameters }, '/things', rest)
    expect(open.parameters[0]).toMatchObject({ field: 'signInWithX', credential: false })
  })

  it('may have content instead of a schema', async () => {
    const { parameters } = await buildOperation({
      parameters: [
        {
          name: 'filter',
          in: 'query',
          content: { 'application/json': { schema: { type: 'string' } } },
        },
      ],
    })
    expect(parameters[0]).toMatchObject({
      mediaType: 'application/json',
      schema: { kind: 'string' },
    })
  })
})

describe('a body', () => {
  it.each<readonly [string, unknown, readonly unknown[]]>([
    [
      'an object',
      { type: 'object', properties: { a: {}, b: { readOnly: true } } },
      ['fields', 'a'],
    ],
    [
      'an object with rules beside it',
      {
        type: 'object',
        properties: { a: {} },
        allOf: [{ if: { required: ['a'] }, then: { properties: { b: {} } } }],
      },
      ['fields', 'a', 'b'],
    ],
    [
      'a choice of objects',
      {
        oneOf: [
          { type: 'object', properties: { a: {} } },
          { type: 'object', properties: { b: {} } },
        ],
      },
      ['fields', 'a', 'b'],
    ],
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }, ['body']],
    ['an array', { type: 'array' }, ['body']],
    ['an object or null', { type: ['object', 'null'], properties: { a: {} } }, ['body']],
    ['an object without properties', { type: 'object' }, ['body']],
  ])('that is %s joins the input as it can', async (_, schema, expected) => {
    expect(await listFields(schema)).toEqual(expected)
  })

  it('sends JSON before forms, and forms before the rest', async () => {
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/json',
    ]
    const { body } = await buildOperation({
      requestBody: { content: Object.fromEntries(types.map((type) => [type, {}])) },
    })
    expect(body?.contents.map(({ mediaType }) => mediaType)).toEqual(types.toReversed())
  })

  it.each([
    ['audio/mpeg', {}, { kind: 'binary' }],
    ['application/octet-stream', { schema: { type: 'string' } }, { kind: 'binary' }],
    ['text/plain', {}, { kind: 'string' }],
    ['application/json', {}, { kind: 'any' }],
  ])('of %s is read by its media type', async (mediaType, media, expected) => {
    const { body } = await buildOperation({ requestBody: { content: { [mediaType]: media } } })
    expect(omitNotes(body?.contents[0]?.schema)).toEqual(expected)
  })
})

describe('responses', () => {
  it('are ordered: statuses, ranges, default', async () => {
    const { responses } = await buildOperation({
      responses: { default: {}, '4XX': {}, '404': {}, '200': {} },
    })
    expect(responses.map(({ status }) => status)).toEqual([200, 404, '4XX', 'default'])
  })

  it('keep headers whose names begin with x-', async () => {
    const { responses } = await buildOperation({
      responses: {
        200: {
          description: 'Done',
          headers: { 'x-left': { required: true, schema: { type: 'integer' } } },
        },
      },
    })
    expect(
      responses[0]?.headers.map(({ name, required, schema }) => [name, required, schema.kind]),
    ).toEqual([['x-left', true, 'number']])
  })
})
