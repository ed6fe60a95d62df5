import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { install } from 'temporal-polyfill/shim'
import { deepTest } from '../../../internal/testing/src/rounds.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build } from '../../test/documents.js'
import {
  writeResponse,
  readBody,
  startEchoServer,
  selectLines,
  type Echo,
} from '../../test/echo.js'
import { generateClient, type Calls } from '../../test/generated-client.js'
import { clientWith } from './client.js'
import { typesWith } from './types/enum-constants.js'
import { zodWith } from './zod.js'

const whole = { type: 'integer', format: 'int64' }
const moment = { type: 'string', format: 'date-time' }
const day = { type: 'string', format: 'date' }
const createRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const record = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})
const list = (items: object) => ({ type: 'array', items })
const createJsonContent = (schema: object) => ({ content: { 'application/json': { schema } } })
const createResponses = (schema: object, rest: object = {}) => ({
  responses: { 200: { description: 'Done', ...createJsonContent(schema), ...rest } },
})
const createRequestBody = (mediaType: string, schema: object) => ({
  requestBody: { required: true, content: { [mediaType]: { schema } } },
})

const schemas = {
  Id: { ...whole, minimum: 1 },
  // names that the output would use for itself
  Temporal: record({ at: moment }),
  values: record({ id: createRef('Id') }),
  All: record({
    id: createRef('Id'),
    orNull: { anyOf: [whole, { type: 'null' }] },
    orText: { type: ['integer', 'string'], format: 'int64' },
    orNumber: { anyOf: [whole, { type: 'number' }] },
    ids: list(list(whole)),
    map: { type: 'object', additionalProperties: whole },
    next: createRef('All'),
    number: { type: 'number' },
    small: { type: 'integer', format: 'int32' },
    unique: { type: 'array', items: whole, uniqueItems: true },
    at: moment,
    day,
    days: list(day),
    either: { anyOf: [day, moment] },
    free: {},
  }),
  Even: { ...whole, multipleOf: 2, exclusiveMaximum: 9007199254740992 },
}

const createItemContent = (mediaType: string) => ({
  content: { [mediaType]: { itemSchema: createRef('All') } },
})
const events = {
  content: {
    'text/event-stream': {
      itemSchema: record({
        data: {
          type: 'string',
          contentMediaType: 'application/json',
          contentSchema: createRef('All'),
        },
      }),
    },
  },
}
const form = record({ id: whole, day, deep: record({ id: whole, day }), ids: list(whole) })

const paths = {
  '/all': {
    post: {
      operationId: 'send',
      ...createRequestBody('application/json', createRef('All')),
      ...createResponses(createRef('All')),
    },
    put: {
      operationId: 'form',
      ...createRequestBody('application/x-www-form-urlencoded', form),
      ...createResponses({}),
    },
    patch: {
      operationId: 'parts',
      ...createRequestBody('multipart/form-data', form),
      ...createResponses(whole),
    },
  },
  '/{id}': {
    get: {
      operationId: 'find',
      parameters: [
        { name: 'id', in: 'path', required: true, schema: whole },
        { name: 'many', in: 'query', schema: list(whole) },
        {
          name: 'json',
          in: 'query',
          content: { 'application/json': { schema: record({ id: whole, at: moment }) } },
        },
        { name: 'X-Day', in: 'header', schema: day },
      ],
      ...createResponses(
        { type: 'number' },
        {
          headers: {
            'X-Id': { schema: whole },
            'X-Day': { schema: day },
            'X-All': createJsonContent(createRef('All')),
          },
        },
      ),
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
      ...createResponses({}),
    },
  },
  '/events': {
    get: { operationId: 'listen', responses: { 200: { description: 'Done', ...events } } },
  },
}
const document = {
  openapi: '3.2.0',
  info: { title: 'Values', version: '1' },
  paths,
  components: { schemas },
}

type Validator = { readonly safeParse: (value: unknown) => { readonly success: boolean } }

let server: Echo
let client: Awaited<ReturnType<typeof generateClient>>
let calls: Calls
let validators: Readonly<Record<'All' | 'Even' | 'Id', Validator>>

beforeAll(async () => {
  install()
  server = await startEchoServer()
  client = await generateClient('values', document, { dates: 'temporal', int64: 'bigint' })
  calls = (client.module as { readonly createClient: (options: object) => Calls }).createClient({
    baseUrl: server.origin,
  })
  validators = (await client.load('zod/schemas.ts')) as typeof validators
})
afterAll(async () => {
  await Promise.all([client.remove(), server.close()])
})

const large = 9_007_199_254_740_993n
const instant = Temporal.Instant.from('2030-01-31T08:30:00.123456789Z')
const plainDate = Temporal.PlainDate.from('2030-01-31')
const instants = fc
  .bigInt({ min: -62_167_219_200_000_000_000n, max: 253_402_300_799_999_999_999n })
  .map((ns) => Temporal.Instant.fromEpochNanoseconds(ns))
const days = fc
  .integer({ min: 0, max: 3_000_000 })
  .map((count) => Temporal.PlainDate.from('0000-01-01').add({ days: count }))
const ids = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const positive = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n })
const texts = fc.oneof(
  fc.string(),
  fc.bigInt().map(String),
  fc.constantFrom('"1234567890123456789"', '\\"12345678901234567', '__proto__'),
)
const inputs = fc.record(
  {
    id: positive,
    orNull: fc.option(ids),
    orText: fc.oneof(ids, texts),
    orNumber: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    ids: fc.array(fc.array(ids)),
    map: fc.dictionary(fc.oneof(texts, fc.constantFrom('__proto__', '7')), ids),
    number: fc.constantFrom(0.5, 1e300, 2 ** 53, Number(`${large}0`), -1e21),
    at: instants,
    day: days,
    days: fc.array(days),
    either: fc.constantFrom('2030-01-31', '2030-01-31T00:00:00Z'),
    unique: fc.constant([2 ** 60]),
    free: fc.oneof(fc.constantFrom(2 ** 60, [Number(`${large}0`)], { a: { b: 2 ** 70 } }), texts),
  },
  { requiredKeys: [] },
)

/** What JSON would be, if it had bigints. */
function toJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(toJson).join()}]`
  if (
    typeof value !== 'object' ||
    value === null ||
    value instanceof Temporal.Instant ||
    value instanceof Temporal.PlainDate
  )
    return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${toJson(item)}`)
    .join()}}`
}

/** Values of Temporal by their texts, as a comparison looks into nothing that is private. */
function toText(value: unknown): unknown {
  if (value instanceof Temporal.Instant || value instanceof Temporal.PlainDate)
    return `${value.constructor.name} ${value.toString()}`
  if (Array.isArray(value)) return value.map(toText)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value).map(([key, item]) => [key, toText(item)])
}

describe('a client with bigint and Temporal', () => {
  it('sends every digit and round-trips it, which the validator accepts', async () => {
    server.respond = (request) => writeResponse(Buffer.from(readBody(request), 'latin1').toString())
    const nested = fc.tuple(inputs, inputs).map(([input, next]) => ({ ...input, next }))
    await fc.assert(
      fc.asyncProperty(nested, async (input) => {
        const result = await calls['send']?.(input)
        expect(Buffer.from(readBody(server.seen.at(-1) ?? ''), 'latin1').toString()).toBe(
          toJson(input),
        )
        expect(toText(result?.data)).toEqual(toText(input))
        expect(validators.All.safeParse(result?.data).success).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  it('reads integers other than int64 as numbers, whatever their size', async () => {
    server.respond = () => writeResponse('12345678901234567890')
    expect((await calls['find']?.({ id: 1n }))?.data).toBe(Number('12345678901234567890'))
    server.respond = () =>
      writeResponse(
        `{"id":${large},"free":[${large},{"a":-${large}}],"number":${large}0,"unique":[${large}]}`,
      )
    expect((await calls['send']?.({}))?.data).toEqual({
      id: large,
      free: [2 ** 53, { a: -(2 ** 53) }],
      number: Number(`${large}0`),
      unique: [2 ** 53],
    })
    server.respond = () => writeResponse(String(-large))
    expect((await calls['parts']?.({}))?.data).toBe(-large)
    server.respond = () => writeResponse(`${-large}.00`)
    expect((await calls['parts']?.({}))?.data).toBe(-large)
  })

  it.each([
    '01234567890123456789',
    '[1234567890123456789',
    '1234567890123456789.',
    '"1234567890123456789',
    '--1234567890123456789',
  ])('rejects %s like JSON.parse', async (broken) => {
    server.respond = () => writeResponse(broken)
    await expect(calls['send']?.({})).rejects.toMatchObject({ reason: 'malformed_json' })
  })

  it.each([
    ['{"id":1.5}', false],
    ['{"id":1e30}', false],
    ['{"id":"7"}', false],
    ['{"id":9223372036854775808}', false],
    ['{"id":0}', false],
    ['{"id":1.0}', true],
    ['{"at":"2030-01-31"}', false],
    ['{"day":"2030-02-30"}', false],
    ['{"day":"2030-02-28"}', true],
  ])('reads %s, for which the validator returns %s', async (text, holds) => {
    server.respond = () => writeResponse(text)
    expect(validators.All.safeParse((await calls['send']?.({}))?.data).success).toBe(holds)
  })

  it('applies schema constraints to bigints', () => {
    const verdicts = [4n, 3n, 4, 9_007_199_254_740_992n, 2n ** 64n].map(
      (value) => validators.Even.safeParse(value).success,
    )
    expect(verdicts).toEqual([true, false, false, false, false])
  })

  it('writes bigints and days in each place of a request', async () => {
    server.respond = () =>
      writeResponse('1', [
        `x-id: ${large}`,
        'x-day: 2030-01-31',
        `x-all: {"id":${large},"free":${large}}`,
      ])
    const found = await calls['find']?.({
      id: large,
      many: [large, 1n],
      json: { id: large, at: instant },
      xDay: plainDate,
    })
    const query = `many=${large}&many=1&json=${encodeURIComponent(`{"id":${large},"at":"${instant.toString()}"}`)}`
    expect(selectLines(server.seen.at(-1) ?? '', 'x-day')).toEqual([
      `GET /${large}?${query} HTTP/1.1`,
      'x-day: 2030-01-31',
    ])
    const { headers } = found as unknown as { readonly headers: object }
    expect(toText(headers)).toEqual(
      toText({ xId: large, xDay: plainDate, xAll: { id: large, free: 2 ** 53 } }),
    )
    await calls['form']?.({
      id: large,
      day: plainDate,
      deep: { id: large, day: plainDate },
      ids: [large, 2n],
    })
    const deep = `{"id":${large},"day":"2030-01-31"}`
    expect(readBody(server.seen.at(-1) ?? '')).toBe(
      `id=${large}&day=2030-01-31&deep=${encodeURIComponent(deep)}&ids=${large}&ids=2`,
    )
    await calls['parts']?.({ id: large, deep: { id: large, day: plainDate } })
    expect(readBody(server.seen.at(-1) ?? '')).toContain(`\r\n\r\n${deep}\r\n`)
  })

  it('reads and writes items with them', async () => {
    const type = (value: string) => (body: string) =>
      writeResponse(body).replace('application/json', value)
    const text = `{"id":${large},"free":[${large}],"day":"2030-01-31"}`
    const item = { id: large, free: [2 ** 53], day: plainDate }
    server.respond = () => type('application/jsonl')(`${text}\n${text}\n`)
    expect((await collect((await calls['read']?.())?.data)).map(toText)).toEqual([
      toText(item),
      toText(item),
    ])
    server.respond = () =>
      type('text/event-stream')(`id: 7\ndata: ${text}\n\ndata: {"next":{"free":${large}}}\n\n`)
    const read = await collect((await calls['listen']?.())?.data)
    expect(read.map(toText)).toEqual([
      toText({ id: '7', data: item }),
      toText({ data: { next: { free: 2 ** 53 } } }),
    ])
    server.respond = () => writeResponse('{}')
    await calls['write']?.({ body: [{ id: large, at: instant }] })
    expect(readBody(server.seen.at(-1) ?? '')).toBe(
      `{"id":${large},"at":"${instant.toString()}"}\n`,
    )
  })

  it('writes the digits even if a program added BigInt.prototype.toJSON', async () => {
    server.respond = () => writeResponse('{}')
    const prototype = BigInt.prototype as { toJSON?: () => string }
    prototype.toJSON = () => 'text'
    try {
      await calls['send']?.({ id: large })
    } finally {
      delete prototype.toJSON
    }
    expect(readBody(server.seen.at(-1) ?? '')).toBe(`{"id":${large}}`)
  })

  it('rejects a date or instant that RFC 3339 cannot express, without changing the input', async () => {
    const wrong = Temporal.PlainDate.from('+012000-01-01')
    await expect(async () => calls['send']?.({ days: [wrong] })).rejects.toThrow(
      'send: the year of the date at "days.0"',
    )
    expect(validators.All.safeParse({ day: wrong }).success).toBe(false)
    const input = { day: plainDate.withCalendar('gregory') }
    await calls['send']?.(input)
    expect(input.day).toBeInstanceOf(Temporal.PlainDate)
    expect(readBody(server.seen.at(-1) ?? '')).toBe('{"day":"2030-01-31"}')
  })

  it('reports which values remain plain JSON', () => {
    expect(
      client.diagnostics.map(({ code, place, found }) => [code, place.pointer, found]),
    ).toEqual([
      [
        'FB3015',
        '/components/schemas/All/properties/orNumber',
        'a date or int64 in one of several options that a value can be of',
      ],
      [
        'FB3015',
        '/components/schemas/All/properties/unique',
        'a date or int64 in an array whose items differ as text',
      ],
      [
        'FB3015',
        '/components/schemas/All/properties/either',
        'a date or int64 in one of several options that a value can be of',
      ],
    ])
  })

  it('adds no code to a document without this option', async () => {
    const api = await build(document)
    const files = [typesWith(), zodWith(), clientWith()].flatMap((emitter) => emitter.emit(api))
    expect(files.map(({ path }) => path)).not.toContain('values.ts')
    expect(files.flatMap(({ body }) => [...body].map(({ text }) => text)).join('\n')).not.toMatch(
      /bigint|Temporal\.|revive/i,
    )
    expect(clientWith().adapt?.(api, 'JSON.parse(text)')).toBe('JSON.parse(text)')
  })

  deepTest('has types that agree', async () => {
    expect(await client.compile(program)).toBe('')
  })
})

async function collect(items: unknown): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for await (const item of items as AsyncIterable<unknown>) all.push(item)
  return all
}

const program = `import type { Temporal } from 'temporal-spec'
import { createClient } from './out/client/index.js'
import type { All } from './out/types/index.js'
import * as validators from './out/zod/schemas.js'
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(value: Same<A, B>): void => void value
same<All['id'], bigint | undefined>(true)
same<All['orNull'], bigint | null | undefined>(true)
same<All['orText'], bigint | string | undefined>(true)
same<All['orNumber'], number | undefined>(true)
same<All['at'], Temporal.Instant | undefined>(true)
same<All['day'], Temporal.PlainDate | undefined>(true)
same<All['either'], string | undefined>(true)
same<All['small'], number | undefined>(true)
const client = createClient({ baseUrl: '' })
const result = await client.send({ id: 1n })
void (result.data.id satisfies bigint | undefined)
const found = await client.find({ id: 1n })
void (found.headers.xId satisfies bigint | undefined)
void (found.headers.xDay?.toPlainYearMonth() satisfies Temporal.PlainYearMonth | undefined)
// @ts-expect-error a number is none
await client.find({ id: 1 })
const parsed: All = validators.All.parse({})
void parsed
for await (const item of (await client.read()).data) void (item.id satisfies bigint | undefined)
`
