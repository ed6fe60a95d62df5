import fc from 'fast-check'
import { deepTest } from '../../../internal/testing/src/rounds.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  writeResponse,
  readBody,
  startEchoServer,
  selectLines,
  type Echo,
} from '../../test/echo.js'
import { build } from '../../test/documents.js'
import { generateClient, type Calls } from '../../test/generated-client.js'
import { clientWith } from './client.js'
import { typesWith } from './types/enum-constants.js'
import { zodWith } from './zod.js'

const moment = { type: 'string', format: 'date-time' }
const createRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const record = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})
const createJsonContent = (schema: object) => ({ content: { 'application/json': { schema } } })
const createResponses = (schema: object, rest: object = {}) => ({
  responses: { 200: { description: 'Done', ...createJsonContent(schema), ...rest } },
})
const tag = (value: string) =>
  record({ kind: { const: value }, at: value === 'plain' ? { type: 'string' } : moment }, [
    'kind',
    'at',
  ])

const schemas = {
  Moment: moment,
  Node: record({ at: createRef('Moment'), children: { type: 'array', items: createRef('Node') } }, [
    'at',
  ]),
  Both: {
    allOf: [
      record({ first: moment }, ['first']),
      record({ second: moment, first: createRef('Moment') }),
    ],
  },
  Page: {
    allOf: [
      record({ items: { type: 'array', items: { type: 'object' } } }),
      record({ items: { type: 'array', items: createRef('Node') } }),
    ],
  },
  Dated: tag('dated'),
  Plain: tag('plain'),
  Tagged: {
    oneOf: [createRef('Dated'), createRef('Plain')],
    discriminator: { propertyName: 'kind' },
  },
  Left: record({ at: moment }),
  Right: record({ at: { type: 'string' } }),
  Unclear: { anyOf: [createRef('Left'), createRef('Right')] },
  Date: record({ day: { type: 'string', format: 'date' }, at: moment }),
  All: record({
    one: moment,
    day: { type: 'string', format: 'date' },
    coded: { ...moment, pattern: 'Z$' },
    orNull: { anyOf: [moment, { type: 'null' }] },
    orNumber: { type: ['string', 'integer'], format: 'date-time' },
    orText: { anyOf: [moment, { type: 'string' }] },
    list: { type: 'array', items: { type: 'array', items: moment } },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, moment], items: false, minItems: 2 },
    map: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: moment },
    node: createRef('Node'),
    both: createRef('Both'),
    page: createRef('Page'),
    tagged: createRef('Tagged'),
    unclear: createRef('Unclear'),
    left: createRef('Left'),
    named: createRef('Date'),
  }),
}

const createItemContent = (mediaType: string) => ({
  content: { [mediaType]: { itemSchema: createRef('Node') } },
})
const events = {
  content: {
    'text/event-stream': {
      itemSchema: record({
        data: {
          type: 'string',
          contentMediaType: 'application/json',
          contentSchema: createRef('Node'),
        },
      }),
    },
  },
}

const paths = {
  '/all': {
    post: {
      operationId: 'send',
      requestBody: { required: true, ...createJsonContent(createRef('All')) },
      ...createResponses(createRef('All')),
    },
    put: {
      operationId: 'form',
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': {
            schema: record({ at: moment, list: { type: 'array', items: moment } }),
          },
        },
      },
      ...createResponses({ type: 'array', items: moment }),
    },
  },
  '/at/{at}': {
    get: {
      operationId: 'find',
      parameters: [
        { name: 'at', in: 'path', required: true, schema: moment },
        { name: 'since', in: 'query', schema: createRef('Moment') },
        { name: 'many', in: 'query', schema: { type: 'array', items: moment } },
        { name: 'deep', in: 'query', style: 'deepObject', schema: record({ at: moment }) },
        {
          name: 'json',
          in: 'query',
          content: { 'application/json': { schema: record({ at: moment }) } },
        },
        { name: 'X-At', in: 'header', schema: moment },
      ],
      ...createResponses(moment, {
        headers: {
          'X-At': { schema: createRef('Moment') },
          'X-List': { schema: { type: 'array', items: moment } },
          'X-Node': createJsonContent(createRef('Node')),
        },
      }),
    },
  },
  '/lines': {
    get: {
      operationId: 'read',
      responses: { 200: { description: 'Done', ...createItemContent('application/jsonl') } },
    },
    post: {
      operationId: 'write',
      requestBody: { required: true, ...createItemContent('application/jsonl') },
      ...createResponses({ type: 'object' }),
    },
  },
  '/events': {
    get: { operationId: 'listen', responses: { 200: { description: 'Done', ...events } } },
  },
}

const document = {
  openapi: '3.2.0',
  info: { title: 'Dates', version: '1' },
  paths,
  components: { schemas },
}

type Validator = { readonly safeParse: (value: unknown) => { readonly success: boolean } }

let server: Echo
let client: Awaited<ReturnType<typeof generateClient>>
let calls: Calls
let all: Validator
let node: Validator

beforeAll(async () => {
  server = await startEchoServer()
  client = await generateClient('dates', document, { dates: 'date' })
  calls = (client.module as { readonly createClient: (options: object) => Calls }).createClient({
    baseUrl: server.origin,
  })
  const validators = (await client.load('zod/schemas.ts')) as {
    readonly All: Validator
    readonly Node: Validator
  }
  all = validators.All
  node = validators.Node
})
afterAll(async () => {
  await Promise.all([client.remove(), server.close()])
})

const text = '2030-01-31T08:30:00.123Z'
const at = new Date(text)

const moments = fc.date({
  min: new Date('0000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})
const nodes = fc.letrec<{ readonly node: object }>((tie) => ({
  node: fc.record(
    { at: moments, children: fc.array(tie('node'), { maxLength: 2, depthIdentifier: 'node' }) },
    { requiredKeys: ['at'] },
  ),
})).node
const inputs = fc.record(
  {
    one: moments,
    day: fc.constant('2030-01-31'),
    coded: fc.constant(text),
    orNull: fc.option(moments),
    orNumber: fc.oneof(moments, fc.integer()),
    orText: fc.constantFrom(text, 'soon'),
    list: fc.array(fc.array(moments)),
    pair: fc.tuple(fc.constant(text), moments),
    map: fc
      .dictionary(fc.constantFrom('a', 'toString', '__proto__', 'constructor'), moments)
      .map((map) => ({ ...map, name: text })),
    node: nodes,
    page: fc.record({ items: fc.array(nodes, { maxLength: 2 }) }),
    both: fc.record({ first: moments, second: moments }),
    tagged: fc.oneof(
      fc.record({ kind: fc.constant('dated'), at: moments }),
      fc.record({ kind: fc.constant('plain'), at: fc.constant(text) }),
    ),
    unclear: fc.constant({ at: text }),
    left: fc.constant({ at: text }),
    named: fc.record({ day: fc.constant('2030-01-31'), at: moments }),
  },
  { requiredKeys: [] },
)

describe('a client with dates', () => {
  it('sends RFC 3339 and round-trips it, which the validator accepts', async () => {
    server.respond = (request) => writeResponse(Buffer.from(readBody(request), 'latin1').toString())
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        const result = await calls['send']?.(input)
        expect(readBody(server.seen.at(-1) ?? '')).toBe(JSON.stringify(input))
        expect(result?.data).toEqual(input)
        expect(all.safeParse(result?.data).success).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('writes dates in each place of a request', async () => {
    server.respond = () => writeResponse(JSON.stringify(text))
    const input = { at, since: at, many: [at, at], deep: { at }, json: { at }, xAt: at }
    expect((await calls['find']?.(input))?.data).toEqual(at)
    const escaped = encodeURIComponent(text)
    const query = `since=${escaped}&many=${escaped}&many=${escaped}&deep%5Bat%5D=${escaped}&json=${encodeURIComponent(JSON.stringify({ at: text }))}`
    expect(selectLines(server.seen.at(-1) ?? '', 'x-at')).toEqual([
      `GET /at/${escaped}?${query} HTTP/1.1`,
      `x-at: ${text}`,
    ])
    await calls['form']?.({ at, list: [at] })
    expect(readBody(server.seen.at(-1) ?? '')).toBe(`at=${escaped}&list=${escaped}`)
  })

  it('reads dates in headers, and omits invalid ones', async () => {
    server.respond = () =>
      writeResponse(JSON.stringify(text), [
        `x-at: ${text}`,
        `x-list: ${text}, ${text}`,
        `x-node: {"at":"${text}"}`,
      ])
    expect((await calls['find']?.({ at })) as object).toMatchObject({
      headers: { xAt: at, xList: [at, at], xNode: { at } },
    })
    server.respond = () =>
      writeResponse(JSON.stringify(text), ['x-at: soon', `x-list: ${text}, soon`])
    expect(await calls['find']?.({ at })).toHaveProperty('headers', {})
  })

  it('reads and writes items with dates', async () => {
    const type = (value: string) => (body: string) =>
      writeResponse(body).replace('application/json', value)
    server.respond = () =>
      type('application/jsonl')(
        `{"at":"${text}"}\n{"at":"${text}","children":[{"at":"${text}"}]}\n`,
      )
    const read = (await calls['read']?.())?.data as AsyncIterable<unknown>
    expect(await collect(read)).toEqual([{ at }, { at, children: [{ at }] }])
    server.respond = () => type('text/event-stream')(`id: 7\ndata: {"at":"${text}"}\n\n`)
    const events = (await calls['listen']?.())?.data as AsyncIterable<{
      readonly data: unknown
    }> & { readonly lastEventId?: string }
    const items = await collect(events)
    expect(items).toEqual([{ id: '7', data: { at } }])
    expect(events.lastEventId).toBe('7')
    expect(node.safeParse(items[0]?.data).success).toBe(true)
    server.respond = () => writeResponse('{}')
    await calls['write']?.({ body: [{ at }] })
    expect(readBody(server.seen.at(-1) ?? '')).toBe(`{"at":"${text}"}\n`)
    await calls['write']?.({ body: generateItem({ at }) })
    expect(readBody(server.seen.at(-1) ?? '')).toContain(`{"at":"${text}"}\n`)
    await expect(calls['write']?.({ body: generateItem({ at: new Date(NaN) }) })).rejects.toThrow()
  })

  it.each([
    ['2030-01-31t08:30:00.123456789z', text],
    ['2030-01-31T09:30:00.123+01:00', text],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2017-01-01T00:59:60.5+01:00', '2017-01-01T00:00:00.500Z'],
  ])('reads %s as the instant %s', async (sent, expected) => {
    server.respond = () => writeResponse(JSON.stringify(sent))
    expect((await calls['find']?.({ at }))?.data).toEqual(new Date(expected))
  })

  it.each(['2030-02-30T00:00:00Z', '2030-01-31', 'soon', '', 7, null])(
    'leaves %j unchanged, which the validator rejects',
    async (sent) => {
      server.respond = () => writeResponse(JSON.stringify({ one: sent }))
      const data = (await calls['send']?.({}))?.data
      expect(data).toEqual({ one: sent })
      expect(all.safeParse(data).success).toBe(false)
    },
  )

  it.each([
    new Date(NaN),
    new Date('+010000-01-01T00:00:00Z'),
    new Date('-000001-01-01T00:00:00Z'),
  ])('rejects a date that RFC 3339 cannot express, as does the validator', async (wrong) => {
    const before = server.seen.length
    await expect(async () => calls['send']?.({ list: [[wrong]] })).rejects.toThrow(
      'send: the Date at "list.0.0" is invalid',
    )
    await expect(async () => calls['find']?.({ at: wrong })).rejects.toThrow(
      'find: the Date at "at" is invalid',
    )
    expect(server.seen.length).toBe(before)
    expect(all.safeParse({ one: wrong }).success).toBe(false)
  })

  it('checks an input of any length, and leaves a cycle to JSON', async () => {
    const list = Array.from({ length: 200_000 }, () => [] as readonly Date[])
    server.respond = () => writeResponse('{}')
    expect((await calls['send']?.({ list }))?.status).toBe(200)
    const circle: { self?: object } = {}
    circle.self = circle
    await expect(async () => calls['send']?.(circle)).rejects.toThrow(TypeError)
  })

  it.each([
    () => [new Date(NaN)],
    () => new Set([new Date(NaN)]),
    () => new Map([[at, new Date(NaN)]]).values(),
  ])('checks each item that it sends, from any iterable: %s', async (items) => {
    await expect(async () => calls['write']?.({ body: items() })).rejects.toThrow(
      'is invalid, or its year',
    )
  })

  it('reports which dates remain strings', () => {
    expect(
      client.diagnostics.map(({ code, place, found }) => [code, place.pointer, found]),
    ).toEqual([
      [
        'FB3015',
        '/components/schemas/Unclear',
        'a date-time in one of several options that a value can be of',
      ],
      [
        'FB3015',
        '/components/schemas/All/properties/orText',
        'a date-time in one of several options that a value can be of',
      ],
    ])
  })

  it('adds no code to a document without this option', async () => {
    const api = await build(document)
    const files = [typesWith(), zodWith(), clientWith()].flatMap((emitter) => emitter.emit(api))
    expect(files.map(({ path }) => path)).not.toContain('values.ts')
    expect(files.flatMap(({ body }) => [...body].map(({ text }) => text)).join('\n')).not.toMatch(
      /checks\.date|prepareInput|Values\.date/,
    )
  })

  deepTest(
    'compiles where operations and schemas have the names of what converts dates',
    async () => {
      const names = ['values', 'dates', 'prepareInput', 'Date', 'date', 'fields']
      const at = { 'X-At': { schema: moment }, 'X-Json': createJsonContent(createRef('dates')) }
      const call = (operationId: string) => ({
        get: {
          ...paths['/at/{at}'].get,
          operationId,
          ...createResponses(createRef('values'), { headers: at }),
        },
      })
      const other = await generateClient(
        'dates-names',
        {
          ...document,
          paths: Object.fromEntries(names.map((name) => [`/${name}/{at}`, call(name)])),
          components: {
            schemas: Object.fromEntries(
              names.map((name) => [name, record({ at: moment, next: createRef('dates') })]),
            ),
          },
        },
        { dates: 'date' },
      )
      expect(await other.compile('')).toBe('')
      await other.remove()
    },
  )

  it('has matching types', async () => {
    expect(await client.compile(program)).toBe('')
  })
})

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

async function* generateItem(item: object): AsyncGenerator<object> {
  yield item
}

const program = `import { createClient } from './out/client/index.js'
import type { All } from './out/types/index.js'
import * as validators from './out/zod/schemas.js'
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(value: Same<A, B>): void => void value
same<All['one'], Date | undefined>(true)
same<All['day'], string | undefined>(true)
same<All['coded'], string | undefined>(true)
same<All['orNull'], Date | null | undefined>(true)
same<All['orNumber'], Date | number | undefined>(true)
same<All['orText'], string | undefined>(true)
same<All['list'], Date[][] | undefined>(true)
same<NonNullable<All['left']>['at'], string | undefined>(true)
const client = createClient({ baseUrl: '' })
const at = new Date()
const result = await client.send({ one: at, node: { at, children: [{ at }] }, both: { first: at, second: at } })
void (result.data.one?.getTime() satisfies number | undefined)
void (result.data.named?.at?.getTime() satisfies number | undefined)
const found = await client.find({ at })
void (found.data.getTime() + (found.headers.xAt?.getTime() ?? 0) + (found.headers.xList?.[0]?.getTime() ?? 0))
// @ts-expect-error a string is none
await client.find({ at: '' })
const parsed: All = validators.All.parse({})
void parsed
for await (const item of (await client.read()).data) void item.at.getTime()
for await (const event of (await client.listen()).data) void event.data?.at.getTime()
`
