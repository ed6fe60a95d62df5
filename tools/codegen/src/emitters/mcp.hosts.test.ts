import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { deepTest } from '../../../internal/testing/src/rounds.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateClient } from '../../test/generated-client.js'
import { jsonSchema, jsonValue, sharedSchemas } from '../../test/schemas.js'
import { boundSchema, isSchema } from './mcp/bound-schema.js'
import { assignHostNames } from './mcp/definitions.js'
import { client } from './client.js'
import { mcpWith } from './mcp.js'
import { types } from './types.js'

type Tool = Readonly<Record<string, unknown>> & { readonly name: string }
type Result = {
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}
type Module = {
  readonly tools: readonly Tool[]
  readonly callTool: (
    name: string,
    input: unknown,
    send: (operation: string, input: object) => Promise<unknown>,
  ) => Promise<Result>
}

const query = (name: string, schema: object = { type: 'string' }) => ({ name, in: 'query', schema })
const longId = `listEveryThing${'OfTheWholeOrganization'.repeat(3)}`
const manyFields = Object.fromEntries(
  Array.from({ length: 300 }, (_, index) => [
    `field${index}`,
    {
      type: 'object',
      description: 'A field with a long description. '.repeat(4),
      properties: { inner: { type: 'object', properties: { 'deep[name]': { type: 'string' } } } },
    },
  ]),
)

const document = {
  openapi: '3.1.0',
  info: { title: 'Rides', version: '1' },
  servers: [{ url: 'https://x.example' }],
  paths: {
    '/photos': {
      post: {
        operationId: 'addPhotos',
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  'photos[]': {
                    type: ['array', 'null'],
                    items: { type: 'string', format: 'binary' },
                  },
                  note: { type: 'string', contentEncoding: 'base64' },
                },
              },
            },
          },
        },
        responses: { 200: { description: 'ok', content: { 'image/png': {} } } },
      },
    },
    '/rides': {
      get: {
        operationId: 'listRides',
        parameters: [
          query('filter[name]'),
          query('filter_name'),
          query('page[size]', { type: 'integer', description: 'Rides per page' }),
          query('$top', { type: 'integer' }),
          query('表示'),
          query('x'.repeat(80)),
        ],
        responses: {
          200: {
            description: 'ok',
            content: { 'application/json': { schema: { type: 'array' } } },
          },
        },
      },
      post: {
        operationId: 'createRide',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Ride' } } },
        },
        responses: { 204: { description: 'ok' } },
      },
      put: {
        operationId: longId,
        summary: 'Replace the whole organization',
        requestBody: {
          content: { 'application/json': { schema: { type: 'object', properties: manyFields } } },
        },
        responses: { 204: { description: 'ok' } },
      },
      patch: { operationId: `${longId}Too`, responses: { 204: { description: 'ok' } } },
    },
  },
  components: {
    schemas: {
      Ride: {
        type: 'object',
        required: ['@id'],
        properties: {
          '@id': { type: 'string' },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          stops: { type: 'array', items: { $ref: '#/components/schemas/Ride' } },
        },
      },
    },
  },
}

/** Every name of a property in a schema and its definitions. */
function listPropertyNames(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(listPropertyNames)
  if (!isSchema(schema)) return []
  const { properties } = schema
  return [
    ...(isSchema(properties) ? Object.keys(properties) : []),
    ...Object.values(schema).flatMap(listPropertyNames),
  ]
}

const modules = new Map<string, Module>()
const removals: (() => Promise<void>)[] = []

beforeAll(async () => {
  for (const tools of ['each', 'search'] as const) {
    const api = await generateClient(`mcp-${tools}`, document, {
      emitters: [types, client, mcpWith({ tools })],
    })
    removals.push(api.remove)
    modules.set(tools, (await api.load('mcp/index.ts')) as Module)
    expect(
      await api.compile(`import { callTool, tools } from './out/mcp/index.js'
      export const names: readonly string[] = tools.map(({ name }) => name)
      export const result = callTool('find', {}, async (operation, input) => [operation, input])`),
    ).toBe('')
  }
})
afterAll(async () => {
  for (const remove of removals) await remove()
})

function load(mode: 'each' | 'search'): Module {
  const module = modules.get(mode)
  if (module === undefined) throw new Error(`${mode} was not generated.`)
  return module
}

describe('tools that every host accepts', () => {
  it('have unique names of at most 64 plain characters', () => {
    const names = load('each').tools.map(({ name }) => name)
    expect(names.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(expect.arrayContaining(['listRides', 'createRide']))
  })

  it('have properties with plain names and a description of the original', () => {
    const { tools } = load('each')
    const names = tools.flatMap(({ inputSchema }) => listPropertyNames(inputSchema))
    expect(names.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([])
    expect(tools.find(({ name }) => name === 'listRides')?.['inputSchema']).toMatchObject({
      properties: {
        filter_name: { type: 'string' },
        filter_name2: { description: 'Stands for `filter[name]`.' },
        page_size: { description: 'Rides per page (Stands for `page[size]`.)' },
        top: { description: 'Stands for `$top`.' },
      },
    })
    const create = tools.find(({ name }) => name === 'createRide')
    expect(create?.['inputSchema']).toMatchObject({ required: ['id'] })
  })

  it.each([
    [
      'listRides',
      'listRides',
      { filter_name2: 'a', filter_name: 'b', page_size: 1, top: 2 },
      { 'filter[name]': 'a', filter_name: 'b', 'page[size]': 1, $top: 2 },
    ],
    [
      'createRide',
      'createRide',
      { id: '1', labels: { id: 'kept', top: 'kept' }, stops: [{ id: '2', stops: [{ id: '3' }] }] },
      {
        '@id': '1',
        labels: { id: 'kept', top: 'kept' },
        stops: [{ '@id': '2', stops: [{ '@id': '3' }] }],
      },
    ],
    [
      /^listEveryThing.*/,
      longId,
      { field7: { inner: { deep_name: 'x' } } },
      { field7: { inner: { 'deep[name]': 'x' } } },
    ],
  ])("%s is sent with the document's names", async (name, operation, input, sent) => {
    const { tools, callTool } = load('each')
    const tool = tools.find((one) => one.name.match(name))
    const calls: unknown[] = []
    await callTool(tool?.name ?? '', input, async (...call) => {
      calls.push(call)
      return ''
    })
    expect(calls).toEqual([[operation, sent]])
  })

  it('send files that they get as base64, and return the content of files and streams', async () => {
    const { callTool } = load('each')
    const sent: unknown[] = []
    const upload = (input: object) =>
      callTool('addPhotos', input, async (_operation, fields) => {
        sent.push(...(fields as { readonly 'photos[]': readonly Blob[] })['photos[]'])
        return new Response(Uint8Array.of(0, 255), { headers: { 'content-type': 'image/png' } })
      })
    expect(await upload({ photos: ['aGk=', '-_8='], note: 'aGk=' })).toEqual({
      content: [{ type: 'text', text: 'AP8=' }],
    })
    const bytes = sent.map(async (file) => [...new Uint8Array(await (file as Blob).arrayBuffer())])
    expect(await Promise.all(bytes)).toEqual([
      [104, 105],
      [251, 255],
    ])
    expect(await upload({ photos: ['?'] })).toEqual({
      content: [
        { type: 'text', text: 'photos is not base64; expected the bytes of a file in base64.' },
      ],
      isError: true,
    })
    const items = async function* () {
      yield { id: 1 }
    }
    expect(await callTool('addPhotos', {}, async () => items())).toEqual({
      content: [{ type: 'text', text: '[{"id":1}]' }],
    })
    expect(await callTool('addPhotos', {}, async () => new Response('hi'))).toEqual({
      content: [{ type: 'text', text: 'hi' }],
    })
  })

  it('return structured content that matches their output schema', async () => {
    const { callTool } = load('each')
    expect(await callTool('listRides', {}, async () => [1])).toEqual({
      content: [{ type: 'text', text: '[1]' }],
      structuredContent: { result: [1] },
    })
    expect(await callTool('listRides', {}, async () => [2n ** 60n, new Date(0)])).toEqual({
      content: [{ type: 'text', text: '[1152921504606846976,"1970-01-01T00:00:00.000Z"]' }],
      structuredContent: { result: [2 ** 60, '1970-01-01T00:00:00.000Z'] },
    })
  })

  it.each([
    ['listRide', {}, 'There is no tool "listRide".'],
    ['listRides', 7, 'The input of listRides is 7; expected an object.'],
    ['describe', { name: '/$defs/Gone' }, 'There is nothing called "/$defs/Gone".'],
  ])('%s with a wrong name or input reports what is expected', async (name, input, text) => {
    const result = await load('each').callTool(name, input, async () => 'sent')
    expect(result).toMatchObject({ isError: true })
    expect(result.content[0]?.text).toContain(text)
  })
})

describe('a tool with a large schema', () => {
  it('stays within a size limit, and links to what it omits', async () => {
    const { tools, callTool } = load('each')
    for (const tool of tools) expect(JSON.stringify(tool).length).toBeLessThan(15_000)
    const large = tools.find(({ title }) => title === 'Replace the whole organization')
    const [, pointer = ''] = /Call describe with \\"(.*?)\\"/.exec(JSON.stringify(large)) ?? []
    expect(pointer).toMatch(/^\/inputs\//)
    const response = await callTool('describe', { name: pointer }, async () => '')
    expect(JSON.parse(response.content[0]?.text ?? '')).toMatchObject({ type: 'object' })
    const inner = `/inputs/${large?.name ?? ''}/properties/field7`
    const described = await callTool('describe', { name: inner }, async () => '')
    expect(described.content[0]?.text).toContain('deep_name')
  })

  deepTest('accepts every value that the whole schema accepts', () => {
    const definitions = sharedSchemas as unknown as Readonly<Record<string, object>>
    const asData = (schema: unknown) =>
      JSON.parse(
        JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/'),
      ) as Readonly<Record<string, unknown>>
    const $defs = asData(definitions)
    fc.assert(
      fc.property(
        jsonSchema,
        jsonValue,
        fc.integer({ min: 20, max: 400 }),
        (schema, value, limit) => {
          const whole = asData(isSchema(schema) ? schema : {})
          const bound = { limit, tool: 'describe', pointer: '' }
          const { schema: bounded } = boundSchema(whole, $defs, bound)
          const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false })
          if (ajv.validate({ ...whole, $defs }, value))
            expect([ajv.validate(bounded, value), ajv.errors]).toEqual([true, null])
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('three tools for a large document', () => {
  it('find, describe and call operations', async () => {
    const { tools, callTool } = load('search')
    expect(tools.map(({ name }) => name)).toEqual(['find', 'describe', 'call'])
    const send = async (operation: string, input: object) => ({ operation, input })
    const text = async (name: string, input: object) =>
      JSON.parse((await callTool(name, input, send)).content[0]?.text ?? '') as unknown
    expect(await text('find', { query: 'create ride' })).toMatchObject([
      { name: 'createRide', route: 'POST /rides' },
      {},
      {},
      {},
    ])
    expect(await text('describe', { name: 'createRide' })).toMatchObject({ name: 'createRide' })
    expect(await text('call', { name: 'listRides', input: { top: 3 } })).toEqual({
      operation: 'listRides',
      input: { $top: 3 },
    })
    expect(await callTool('call', { name: 'gone' }, send)).toMatchObject({ isError: true })
  })

  it('take fewer than a thousand tokens', () => {
    // a token of JSON is three to four characters
    expect(JSON.stringify({ tools: load('search').tools }).length).toBeLessThan(3000)
  })
})

describe('the names for hosts', () => {
  it('are valid, unique, and unchanged if already valid', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'grapheme', maxLength: 100 })), (names) => {
        const given = assignHostNames(names)
        const all = [...given.values()]
        expect(all.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([])
        expect(new Set(all).size).toBe(names.length)
        for (const name of names)
          if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) expect(given.get(name)).toBe(name)
      }),
    )
  })
})
