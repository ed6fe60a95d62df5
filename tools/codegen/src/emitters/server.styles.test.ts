import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rm } from 'node:fs/promises'
import {
  generateBothSides,
  createCaller,
  listPartArbitraries,
  normalizeValue,
  createRecorder,
  findWorkFolder,
  type BothSides,
  type Parts,
} from '../../test/both-sides.js'

// What the client writes in a style, the server reads as the same value: for every style, explode
// and type. Texts are without what a style uses between values and cannot escape (RFC 6570).

const work = findWorkFolder('server-styles')

/** As ranges: fast-check looks for the letters of `\p{L}` among all that Unicode has. */
const letters = 'A-Za-zß-öΑ-ωБ-яא-ת一-龥가-힣𐐀-𐑏0-9०-९'
/** Letters of several alphabets and signs that must be escaped. */
const anyText = { type: 'string', pattern: `^[${letters} ,;=&%+/?#\\[\\]|.~!*]{1,12}$` }
/** Without the full stop, which nothing escapes. */
const withoutStop = { type: 'string', pattern: `^[${letters} ,;=&%+/?#\\[\\]|~!*]{1,12}$` }
const withoutDelimiters = { type: 'string', pattern: `^[${letters};=&%+/?#.~!*]{1,12}$` }
const latin = { type: 'string', pattern: '^[A-Za-z0-9.~/-]{1,12}$' }
const keys = { pattern: '^[a-z]{1,5}$' }

/** With style label, explode has the full stop between values, which stands in a fraction too. */
const createSchemas = (text: object, items: string) => ({
  text,
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  choice: { enum: ['a', 7, true] },
  list: { type: 'array', minItems: 1, items: text },
  numbers: { type: 'array', minItems: 1, items: { type: items } },
  pair: {
    type: 'array',
    minItems: 2,
    maxItems: 2,
    prefixItems: [{ type: 'boolean' }, text],
    items: false,
  },
  record: {
    type: 'object',
    required: ['a'],
    properties: { a: text, b: { type: 'integer' }, c: { type: 'boolean' } },
    additionalProperties: false,
  },
  map: {
    type: 'object',
    minProperties: 1,
    propertyNames: keys,
    additionalProperties: { type: 'integer' },
  },
})

const styles = [
  { in: 'path', style: 'simple', text: anyText },
  { in: 'path', style: 'label', text: withoutStop },
  { in: 'path', style: 'matrix', text: anyText },
  { in: 'query', style: 'form', text: anyText },
  { in: 'query', style: 'spaceDelimited', text: withoutDelimiters },
  { in: 'query', style: 'pipeDelimited', text: withoutDelimiters },
  { in: 'query', style: 'deepObject', text: anyText },
  { in: 'header', style: 'simple', text: latin },
  { in: 'cookie', style: 'form', text: anyText },
  { in: 'cookie', style: 'cookie', text: latin },
] as const

const cases = styles.flatMap(({ in: place, style, text }) =>
  [true, false].flatMap((explode) =>
    Object.entries(createSchemas(text, style === 'label' ? 'integer' : 'number')).map(
      ([type, schema]) => {
        const id = `${place}${style}${explode ? 'Explode' : ''}${type}`
        const path = `/${id}${place === 'path' ? '/x{value}/end' : ''}`.replace('x{', '{')
        const parameter = { name: 'value', in: place, style, explode, required: true, schema }
        return { id, path, parameter }
      },
    ),
  ),
)
const media = (['path', 'query', 'header', 'cookie'] as const).map((place) => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'array', items: latin }, b: {} },
    required: ['a'],
    additionalProperties: false,
  }
  const parameter = {
    name: 'value',
    in: place,
    required: true,
    content: { 'application/json': { schema } },
  }
  return {
    id: `${place}Json`,
    path: `/${place}Json${place === 'path' ? '/{value}' : ''}`,
    parameter,
  }
})
const nested = {
  id: 'deeper',
  path: '/deeper',
  parameter: {
    name: 'value',
    in: 'query',
    style: 'deepObject',
    required: true,
    schema: {
      type: 'object',
      required: ['a'],
      properties: {
        a: {
          type: 'object',
          required: ['b'],
          properties: { b: { type: 'array', minItems: 1, items: { type: 'integer' } } },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
  },
}
const listed = (['query', 'cookie'] as const).map((place) => ({
  id: `${place}Listed`,
  path: `/${place}Listed`,
  parameter: {
    name: 'value',
    in: place,
    required: true,
    schema: {
      type: 'object',
      required: ['sort'],
      properties: {
        page: { type: 'integer' },
        sort: { type: 'array', minItems: 1, items: anyText },
        sizes: { type: 'array', minItems: 1, items: { type: 'number' } },
      },
      additionalProperties: false,
    },
  },
}))
const whole = ['application/x-www-form-urlencoded', 'application/json'].map((type, index) => ({
  id: `whole${index}`,
  path: `/whole${index}`,
  parameter: {
    name: 'value',
    in: 'querystring',
    required: true,
    content: {
      [type]: {
        schema: {
          type: 'object',
          required: ['text'],
          properties: {
            text: anyText,
            list: { type: 'array', minItems: 1, items: anyText },
            inner: { type: 'object', maxProperties: 0 },
          },
          additionalProperties: false,
        },
      },
    },
  },
}))
const fields = {
  type: 'object',
  required: ['text'],
  properties: {
    ...createSchemas(anyText, 'number'),
    deep: createSchemas(anyText, 'number').record,
    spread: { type: 'array', minItems: 2, items: withoutDelimiters },
  },
  additionalProperties: false,
}
const file = { type: 'string', format: 'binary' }
const bodies = {
  'application/x-www-form-urlencoded': {
    schema: fields,
    encoding: {
      deep: { style: 'deepObject' },
      spread: { style: 'pipeDelimited', explode: false },
      numbers: { explode: false },
    },
  },
  'multipart/form-data': {
    schema: {
      ...fields,
      properties: {
        ...fields.properties,
        file,
        files: { type: 'array', minItems: 1, items: file },
      },
    },
    encoding: {
      spread: { style: 'pipeDelimited', explode: false },
      numbers: { explode: false },
      list: { contentType: 'application/json' },
      record: { contentType: 'application/json' },
    },
  },
  'application/x-www-form-urlencoded; charset=utf-8': { schema: { type: 'string' } },
  'text/plain': { schema: { type: 'integer' } },
  'application/octet-stream': { schema: file },
  'application/jsonl': {
    schema: { type: 'array', items: createSchemas(anyText, 'number').record },
  },
}
const sending = Object.entries(bodies).map(([type, media], index) => ({
  id: `body${index}`,
  path: `/body${index}`,
  type,
  media,
}))
const every = [...cases, ...media, nested, ...listed, ...whole]

const document = {
  openapi: '3.2.0',
  info: { title: 'Styles', version: '1' },
  paths: Object.fromEntries([
    ...every.map(
      ({ id, path, parameter }) =>
        [
          path,
          { get: { operationId: id, parameters: [parameter], responses: { 204: {} } } },
        ] as const,
    ),
    ...sending.map(
      ({ id, path, type, media }) =>
        [
          path,
          {
            post: {
              operationId: id,
              requestBody: { required: true, content: { [type]: media } },
              responses: { 204: {} },
            },
          },
        ] as const,
    ),
  ]),
}

let sides: BothSides
beforeAll(async () => {
  sides = await generateBothSides(work, document)
})
afterAll(async () => rm(work, { recursive: true, force: true }))

describe('a value arrives as it was sent', () => {
  it.each(every.map(({ id }) => id))('%s', async (id) => {
    const { got, handlers } = createRecorder(sides, () => ({ status: 204 }))
    const app = sides.createServer(handlers)
    const call = createCaller(sides, 'http://api.example', async (url, init) =>
      app.request(url, init),
    )
    const [[name, arbitrary] = []] = listPartArbitraries(sides, id)
    if (name === undefined || arbitrary === undefined) throw new Error(`${id} has no parameter.`)
    await fc.assert(
      fc.asyncProperty(arbitrary.valid, async (values) => {
        // unnamed parameters are not sent
        const sent =
          name === 'querystring'
            ? values
            : { value: (values as Readonly<Record<string, unknown>>)['value'] }
        got.length = 0
        const { status, error } = await call(id, { [name]: sent })
        expect([status, error]).toEqual([204, undefined])
        expect(await normalizeValue(got[0])).toEqual(await normalizeValue({ [name]: sent }))
      }),
      { numRuns: 40 },
    )
  })
})

describe('a body arrives as it was sent', () => {
  it.each(sending.map(({ id, type }) => [type, id]))('%s', async (type, id) => {
    const { got, handlers } = createRecorder(sides, () => ({ status: 204 }))
    const isItems = type === 'application/jsonl'
    const received: unknown[] = []
    const collect = async (parts: Parts) => {
      if (isItems)
        for await (const item of parts.body as AsyncIterable<unknown>) received.push(item)
      return handlers[id]?.(parts)
    }
    const app = sides.createServer({ ...handlers, [id]: collect })
    const call = createCaller(sides, 'http://api.example', async (url, init) =>
      app.request(url, init),
    )
    const arbitrary = sides.arbitraries[id]?.body?.[type]
    if (arbitrary === undefined) throw new Error(`${id} has no body.`)
    const body = isItems ? fc.array(arbitrary.valid, { minLength: 1 }) : arbitrary.valid
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        got.length = 0
        received.length = 0
        const { status, error } = await call(id, { body: sent })
        expect([status, error]).toEqual([204, undefined])
        expect(got[0]?.contentType).toBe(type)
        expect(await normalizeValue(isItems ? received : got[0]?.body)).toEqual(
          await normalizeValue(sent),
        )
      }),
      { numRuns: 60 },
    )
  })
})
