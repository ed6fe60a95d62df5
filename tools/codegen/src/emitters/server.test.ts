import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  generateBothSides,
  findWorkFolder,
  type BothSides,
  type Parts,
} from '../../test/both-sides.js'
import { listTypeErrors } from '../../test/type-errors.js'

const work = findWorkFolder('server')
const text = { type: 'string' }
const createJsonMedia = (schema: object) => ({ 'application/json': { schema } })
const pet = { $ref: '#/components/schemas/Pet' }
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
const get = (operationId: string, more: object = {}) => ({
  get: {
    operationId,
    responses: { 200: { description: '', content: createJsonMedia(text) } },
    ...more,
  },
})
const versions = {
  'application/json': { schema: { type: 'integer' } },
  'application/json; version=2': { schema: { type: 'boolean' } },
  'application/json; version=2; unit="km"': { schema: text },
}

const document = {
  openapi: '3.2.0',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets/{id}': {
      ...get('getPet', {
        parameters: [id, { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 5 } }],
      }),
      put: {
        operationId: 'putPet',
        parameters: [id],
        requestBody: { required: true, content: createJsonMedia(pet) },
        responses: {
          200: {
            description: '',
            content: createJsonMedia(pet),
            headers: { 'X-Left': { schema: { type: 'integer' } } },
          },
          '4XX': {
            description: '',
            content: { ...createJsonMedia(pet), 'text/plain': { schema: text } },
          },
          500: { description: '', content: { 'text/plain': { schema: { type: 'integer' } } } },
        },
      },
    },
    '/pets/mine': get('getMine'),
    '/shares': get('getShare', {
      parameters: [
        {
          name: 'share',
          in: 'query',
          schema: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
        },
        { name: 'whole', in: 'query', allowEmptyValue: true, schema: { type: 'boolean' } },
      ],
    }),
    '/pets/{id}.{format}': get('getFormat', {
      parameters: [
        { ...id, schema: text },
        { ...id, name: 'format', schema: text },
      ],
    }),
    '/times/{from}F{to}': get('getTimes', {
      parameters: [
        { ...id, name: 'from', schema: text },
        { ...id, name: 'to', schema: text },
      ],
    }),
    '/pets/{id}/events': {
      get: {
        operationId: 'watch',
        parameters: [id],
        responses: {
          200: {
            description: '',
            content: {
              'text/event-stream': { itemSchema: { type: 'object', properties: { data: text } } },
            },
          },
        },
      },
    },
    '/versions': {
      post: {
        operationId: 'convert',
        requestBody: { content: versions },
        responses: { 200: { description: '', content: versions } },
      },
    },
    '/lines': {
      post: {
        operationId: 'sum',
        requestBody: {
          required: true,
          content: { 'application/jsonl': { itemSchema: { type: 'integer' } } },
        },
        responses: {
          200: {
            description: '',
            content: { 'application/jsonl': { itemSchema: { type: 'integer' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Pet: {
        type: 'object',
        required: ['name'],
        properties: { name: text, age: { type: 'integer' } },
        additionalProperties: false,
      },
    },
  },
}

const handlers = {
  getPet: ({ path, query }: Parts) => ({
    status: 200,
    body: `pet ${typeof path?.['id']} ${String(query?.['limit'])}`,
  }),
  putPet: ({ body }: Parts) => ({ status: 200, body, headers: { 'X-Left': 3 } }),
  getMine: () => ({ status: 200, body: 'mine' }),
  getShare: () => ({ status: 200, body: 'share' }),
  getFormat: ({ path }: Parts) => ({ status: 200, body: JSON.stringify(path) }),
  getTimes: ({ path }: Parts) => ({ status: 200, body: JSON.stringify(path) }),
  watch: () => ({ status: 200, body: [{ data: 'a\nb' }, { data: 'c' }] }),
  convert: ({ contentType = 'application/json', body = 0 }: Parts) => ({
    status: 200,
    contentType,
    body,
  }),
  sum: ({ body }: Parts) => ({ status: 200, body: yieldSums(body as AsyncIterable<number>) }),
}

async function* yieldSums(numbers: AsyncIterable<number>) {
  let sum = 0
  for await (const number of numbers) yield (sum += number)
}

let sides: BothSides
let app: Hono
beforeAll(async () => {
  sides = await generateBothSides(work, document)
  app = sides.createServer(handlers, { maxBodyBytes: 100 })
})
afterAll(async () => rm(work, { recursive: true, force: true }))

const put = (body: BodyInit, type?: string) => ({
  method: 'PUT',
  body,
  ...(type !== undefined && { headers: { 'content-type': type } }),
})
const requestJson = async (path: string, init?: RequestInit, server: Hono = app) => {
  const response = await server.request(path, init)
  return [response.status, await response.json()]
}

describe('an operation is found', () => {
  it.each([
    ['/pets/7?limit=5', '"pet number 5"'],
    ['/pets/mine', '"mine"'],
    ['/shares?whole&share=0.5', '"share"'],
    ['/pets/7.json', JSON.stringify('{"id":"7","format":"json"}')],
    ['/pets/a.b.json', JSON.stringify('{"id":"a.b","format":"json"}')],
    ['/times/%EF%BC%8Fx%2FF%F0%9F%9A%8B', JSON.stringify('{"from":"\uFF0Fx/","to":"🚋"}')],
  ])('%s', async (path, body) => {
    expect(await (await app.request(path)).text()).toBe(body)
  })

  it('by GET for HEAD, without a body', async () => {
    const response = await app.request('/pets/mine', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it('only under a base path', async () => {
    const based = sides.createServer(handlers, { basePath: '/v1/' })
    expect((await based.request('/v1/pets/mine')).status).toBe(200)
    expect((await based.request('/pets/mine')).status).toBe(404)
  })
})

describe('a request is rejected', () => {
  it('with 404 for another path', async () => {
    expect(await requestJson('/cats')).toEqual([
      404,
      {
        problems: [
          { where: 'path', found: 'no path of this document', expected: 'a path of this document' },
        ],
      },
    ])
  })

  it('with 405 for another method, and with the allowed methods', async () => {
    const response = await app.request('/pets/7', { method: 'PATCH' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, PUT, HEAD'])
  })

  it('with 400 and all problems of its parameters', async () => {
    expect(await requestJson('/pets/x?limit=9')).toEqual([
      400,
      {
        problems: [
          { where: 'path.id', found: 'a string of 1 character', expected: 'number' },
          { where: 'query.limit', found: 'a number', expected: 'at most 5' },
        ],
      },
    ])
  })

  it('with an exclusive bound', async () => {
    const found = await Promise.all(
      ['0', '1'].map((share) => requestJson(`/shares?share=${share}`)),
    )
    const expected = found.map(([, body]) => (body as { problems: [object] }).problems[0])
    expect(expected).toEqual([
      { where: 'query.share', found: 'a number', expected: 'more than 0' },
      { where: 'query.share', found: 'a number', expected: 'less than 1' },
    ])
  })

  it.each([
    ['{"name":1,"x":2}', 'application/json', 400, ['body.name', 'body']],
    ['{"name":', 'application/json', 400, ['body']],
    ['name=a', 'application/x-www-form-urlencoded', 415, ['headers.content-type']],
    [JSON.stringify({ name: 'x'.repeat(100) }), 'application/json', 413, ['body']],
  ])('with a body of %s as %s', async (body, type, status, where) => {
    const response = await app.request('/pets/7', put(body, type))
    const { problems } = (await response.json()) as {
      readonly problems: readonly { readonly where: string }[]
    }
    expect([response.status, problems.map((problem) => problem.where).toSorted()]).toEqual([
      status,
      where.toSorted(),
    ])
  })

  it('unless an empty body is optional', async () => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
    expect((await app.request('/versions', init)).status).toBe(200)
    expect((await app.request('/pets/7', { ...init, method: 'PUT' })).status).toBe(400)
  })

  it('without quoting its values', async () => {
    const response = await app.request(
      '/pets/7',
      put('{"name":"n","secret-key":7,"age":"my-secret"}', 'application/json'),
    )
    expect(await response.text()).not.toContain('my-secret')
  })

  it('in the format of the hook', async () => {
    const shaped = sides.createServer(handlers, {
      reject: ({ status, problems }, _context, operation) =>
        Response.json({ error: operation?.id ?? null, count: problems.length }, { status }),
    })
    expect(await requestJson('/pets/x', undefined, shaped)).toEqual([
      400,
      { error: 'getPet', count: 1 },
    ])
    const response = await shaped.request('/pets/7', { method: 'PATCH' })
    expect([response.headers.get('allow'), await response.json()]).toEqual([
      'GET, PUT, HEAD',
      { error: null, count: 1 },
    ])
  })

  it('before its body is read, by the other hook', async () => {
    const closed = sides.createServer(handlers, {
      before: ({ id: name }) =>
        name === 'putPet' ? new Response(null, { status: 401 }) : undefined,
    })
    expect((await closed.request('/pets/x', put('{'))).status).toBe(401)
    expect((await closed.request('/pets/mine')).status).toBe(200)
  })
})

describe('a media type', () => {
  const post = async (type: string, body: unknown) => {
    const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': type } }
    const response = await app.request('/versions', init)
    return [response.status, response.headers.get('content-type')]
  }

  it.each([
    ['application/json', 1, 'application/json'],
    ['application/json;charset=utf-8', 1, 'application/json'],
    ['application/json;Version=2', true, 'application/json; version=2'],
    ['application/json; version=2; charset=utf-8', true, 'application/json; version=2'],
    ['application/json;unit=km;version=2', 'a', 'application/json; version=2; unit="km"'],
    ['application/json;version=3', 1, 'application/json'],
  ])('%s is the one with the same parameters', async (type, body, declared) => {
    expect(await post(type, body)).toEqual([200, declared])
  })
})

describe('a response', () => {
  it('has declared headers', async () => {
    const response = await app.request('/pets/7', put('{"name":"a"}', 'application/json'))
    expect([response.headers.get('x-left'), await response.json()]).toEqual(['3', { name: 'a' }])
  })

  it('has one header line per cookie', async () => {
    const cookies = ['a=b; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'c=d']
    const server = sides.createServer({
      ...handlers,
      putPet: ({ body }: Parts) => ({ status: 200, body, headers: { 'Set-Cookie': cookies } }),
    })
    const response = await server.request('/pets/7', put('{"name":"a"}', 'application/json'))
    expect(response.headers.getSetCookie()).toEqual(cookies)
  })

  it('of an undeclared status is a handler error', async () => {
    const faulty = sides.createServer({ ...handlers, getMine: () => ({ status: 201 }) })
    const errors: Error[] = []
    faulty.onError((error) => {
      errors.push(error)
      return new Response(null, { status: 500 })
    })
    expect((await faulty.request('/pets/mine')).status).toBe(500)
    expect(errors.map(({ message }) => message)).toEqual([
      'getMine: the handler responded 201, which the document does not declare.',
    ])
  })

  it('of events is an event stream', async () => {
    const response = await app.request('/pets/7/events')
    expect([response.headers.get('content-type'), await response.text()]).toEqual([
      'text/event-stream;charset=UTF-8',
      'data: a\ndata: b\n\ndata: c\n\n',
    ])
  })

  it('of items is produced as request items arrive, and ends when the reader disconnects', async () => {
    const input: number[] = []
    let ended = false
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          input.push(input.length)
          controller.enqueue(new TextEncoder().encode('1\n'))
        },
        cancel: () => void (ended = true),
      },
      { highWaterMark: 0 },
    )
    const init = {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/jsonl' },
    } as RequestInit
    const reader = (await app.request('/lines', init)).body?.getReader()
    const read = async () => new TextDecoder().decode((await reader?.read())?.value)
    expect([await read(), await read(), input.length]).toEqual(['1\n', '2\n', 2])
    await reader?.cancel()
    expect(ended).toBe(true)
  })

  it('stops at an invalid item', async () => {
    const response = await app.request('/lines', {
      method: 'POST',
      body: '1\n"a"\n',
      headers: { 'content-type': 'application/jsonl' },
    })
    await expect(response.text()).rejects.toThrow(
      'body.1: found a string of 1 character, expected number.',
    )
  })
})

it('a missing handler and an undeclared response do not compile', async () => {
  await writeFile(
    join(work, 'app.ts'),
    `import { createServer, type Handlers } from './out/server/index.js'
export const handlers: Handlers<{ Variables: { user: string } }> = {
  getPet: async ({ path, query }, context) => ({ status: 200, body: (path.id + (query.limit ?? 0)).toFixed() + context.get('user') }),
  putPet: ({ body }) => (body.name === '' ? { status: 422, contentType: 'text/plain', body: 'no' } : { status: 200, body }),
  getMine: () => ({ status: 200, body: 'mine' }),
  getShare: () => ({ status: 200, body: 'share' }),
  getFormat: ({ path }) => ({ status: 200, body: path.format }),
  getTimes: ({ path }) => ({ status: 200, body: path.to }),
  watch: async function* () { yield { data: 'a' } } as never,
  convert: ({ contentType }) =>
    contentType === 'application/json; version=2'
      ? { status: 200, contentType, body: true }
      : { status: 200, contentType: 'application/json', body: 1 },
  sum: ({ body }) => ({ status: 200, body }),
}
export const app = createServer(handlers)
const { sum, ...rest } = handlers
createServer({ ...handlers, putPet: () => ({ status: 500, body: 7 }) })
// @ts-expect-error a handler is missing
createServer(rest)
// @ts-expect-error the status is not declared
createServer({ ...handlers, getMine: () => ({ status: 201, body: 'mine' }) })
// @ts-expect-error the body is not that of the status
createServer({ ...handlers, getMine: () => ({ status: 200, body: 1 }) })
// @ts-expect-error of two media types one must be named
createServer({ ...handlers, putPet: () => ({ status: 404, body: 'no' }) })
`,
  )
  expect(await listTypeErrors(work, ['app.ts'])).toEqual([])
})
