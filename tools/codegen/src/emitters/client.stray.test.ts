import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateClient, type Calls } from '../../test/generated-client.js'

// Values that no request can carry, and servers that stray from the document.

const text = { type: 'string' }
const any = { 'application/json': { schema: {} } }
const done = { 204: { description: 'Done' } }

const document = {
  openapi: '3.1.0',
  info: { title: 'Strays', version: '1' },
  paths: {
    '/find/{id}': {
      get: {
        operationId: 'find',
        parameters: [
          { name: 'id', in: 'path', required: true, allowReserved: true, schema: text },
          { name: 'q', in: 'query', schema: {} },
          { name: 'x-big', in: 'header', schema: { type: 'integer' } },
          { name: 'filter', in: 'query', content: { 'application/json': { schema: {} } } },
        ],
        responses: done,
      },
    },
    '/json': {
      post: { operationId: 'json', requestBody: { content: any }, responses: done },
      put: {
        operationId: 'form',
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  a: text,
                  b: { type: 'object' },
                  file: { type: 'string', format: 'binary' },
                },
              },
            },
          },
        },
        responses: done,
      },
      patch: {
        operationId: 'lines',
        requestBody: { content: { 'application/jsonl': { schema: {} } } },
        responses: done,
      },
    },
    '/things': {
      get: {
        operationId: 'things',
        responses: {
          200: {
            description: 'OK',
            content: {
              'application/json': { schema: { type: 'object', properties: { a: text } } },
            },
          },
        },
      },
    },
    '/lines': {
      get: {
        operationId: 'readItems',
        responses: {
          200: {
            description: 'OK',
            content: { 'application/x-ndjson': { schema: { type: 'object' } } },
          },
        },
      },
    },
  },
}

let built: Awaited<ReturnType<typeof generateClient>>
beforeAll(async () => {
  built = await generateClient('client-stray', document)
})
afterAll(async () => built.remove())

function createTestClient(
  respond: (url: string, init: RequestInit) => Response,
  more: object = {},
): Calls {
  const { createClient } = built.module as { createClient: (options: object) => Calls }
  return createClient({ baseUrl: 'http://h.example', fetch: respond, ...more })
}

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle

describe('a value that cannot be sent is rejected before the call', () => {
  it.each([
    ['json', { body: { a: [1, NaN] } }, 'body.a.1 is NaN'],
    ['json', { body: { a: Infinity } }, 'body.a is Infinity'],
    ['json', { body: { a: { b: 1n } } }, 'body.a.b is a bigint'],
    ['json', { body: 'a\ud800' }, 'body is half of a surrogate pair'],
    ['json', { body: { 'a\ud800': 1 } }, 'a name in body is half of a surrogate pair'],
    ['json', { body: cycle }, 'body.self is a cycle'],
    ['json', { body: { a: new Map([['b', 1]]) } }, 'body.a is a Map, which has no fields'],
    ['json', { body: new Set([1]) }, 'body is a Set, which has no fields'],
    ['json', { body: { a: new Date(NaN) } }, 'body.a is an invalid Date'],
    ['json', { body: { image: new Blob(['a']) } }, 'body.image is bytes within JSON'],
    ['json', { body: { image: new Uint8Array(1) } }, 'body.image is bytes within JSON'],
    ['form', { a: 'a\udc00' }, 'body.a is half of a surrogate pair'],
    ['form', { b: { c: 1n } }, 'body.b.c is a bigint'],
    ['form', { b: { c: NaN } }, 'body.b.c is NaN'],
    ['lines', { body: [{ a: 1 }, { a: NaN }] }, 'an item of the body.a is NaN'],
    ['find', { id: '\ud800' }, 'the path parameter "id" is half of a surrogate pair'],
    ['find', { id: 'a', q: NaN }, 'the query parameter "q" is NaN'],
    ['find', { id: 'a', q: [1, Infinity] }, 'the query parameter "q".1 is Infinity'],
    ['find', { id: 'a', q: new Map() }, 'the query parameter "q" is a Map, which has no fields'],
    ['find', { id: 'a', q: cycle }, 'the query parameter "q".self is a cycle'],
    ['find', { id: 'a', filter: { a: 1n } }, 'the query parameter "filter".a is a bigint'],
    ['find', { id: 'a', xBig: NaN }, 'the header parameter "x-big" is NaN'],
  ])('%s %o', async (id, input, said) => {
    let isSent = false
    const client = createTestClient(() => {
      isSent = true
      return new Response(null, { status: 204 })
    })
    await expect(client[id]?.(input)).rejects.toMatchObject({
      name: 'InvalidInputError',
      message: `${id}: ${said}, which cannot be sent.`,
    })
    expect(isSent).toBe(false)
  })

  it('but other values are sent', async () => {
    const sent: unknown[] = []
    const client = createTestClient((url, { body }) => {
      sent.push(body ?? url)
      return new Response(null, { status: 204 })
    })
    const shared = { a: 1 }
    await client['json']?.({ body: { one: shared, two: shared, at: new Date(0), none: undefined } })
    await client['find']?.({ id: 'a/b?c#d', q: 5n, xBig: 2n ** 60n })
    await client['form']?.({ a: '😀', file: new Uint8Array([1]) })
    expect(sent).toEqual([
      '{"one":{"a":1},"two":{"a":1},"at":"1970-01-01T00:00:00.000Z"}',
      'http://h.example/find/a/b%3Fc%23d?q=5',
      expect.any(Blob),
    ])
  })
})

const json = { 'content-type': 'application/json' }

describe('a response that deviates from the contract', () => {
  const cases = [
    [
      'undeclared_status',
      new Response('{"why":"full"}', { status: 507, headers: json }),
      { error: { why: 'full' } },
    ],
    ['undeclared_status', new Response('ok', { status: 202 }), { data: 'ok' }],
    ['content_type', new Response('{"a":"b"}'), { data: { a: 'b' } }],
    [
      'content_type',
      new Response('<p>', { headers: { 'content-type': 'text/html' } }),
      { data: '<p>' },
    ],
    [
      'content_type',
      new Response(new Blob(['a'], { type: 'image/png' })),
      { data: expect.any(Blob) as Blob },
    ],
    ['content_type', new Response(null), { data: undefined }],
    ['empty_body', new Response('', { headers: json }), { data: undefined }],
  ] as const

  it.each(cases)('is an error that names the option: %s', async (reason, response) => {
    await expect(createTestClient(() => response.clone())['things']?.()).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      reason,
      message: expect.stringContaining('the option unexpected accepts it') as string,
    })
  })

  it.each(cases)('is a result with the option: %s', async (unexpected, response, value) => {
    const { acceptUnexpected } = built.module as { acceptUnexpected: unknown }
    const client = createTestClient(() => response.clone(), { unexpected: acceptUnexpected })
    const { status } = response
    expect(await client['things']?.()).toMatchObject({ status, unexpected, ...value })
  })

  it('has typed results with the option, but invalid JSON still throws', async () => {
    const { acceptUnexpected } = built.module as { acceptUnexpected: unknown }
    const client = createTestClient(() => new Response('{', { headers: json }), {
      unexpected: acceptUnexpected,
    })
    await expect(client['things']?.()).rejects.toMatchObject({ reason: 'malformed_json' })
    expect(
      await built.compile(`import { acceptUnexpected, createClient, type Unexpected } from './out/client/index.js'
const client = createClient({ baseUrl: '', unexpected: acceptUnexpected })
const strict = createClient({ baseUrl: '' })
export async function run(): Promise<string | undefined> {
  const result = await client.things()
  if ('unexpected' in result) {
    const found: Unexpected = result
    return found.unexpected
  }
  // @ts-expect-error a strict client has no such results
  const never: Unexpected = await strict.things()
  return result.data.a ?? String(never)
}
`),
    ).toBe('')
  })

  it('may use an alias of a format', async () => {
    for (const type of ['application/jsonl', 'application/x-jsonlines', 'application/x-ndjson']) {
      const client = createTestClient(
        () => new Response('{"a":1}\n{"a":2}\n', { headers: { 'content-type': type } }),
      )
      const result = await client['readItems']?.()
      const items: unknown[] = []
      const data = result?.data as AsyncIterable<unknown>
      for await (const item of data) items.push(item)
      expect(items).toEqual([{ a: 1 }, { a: 2 }])
    }
  })

  it('is read up to the limit, even if it comes in one chunk', async () => {
    const body = 'x'.repeat(60_000)
    const client = createTestClient(() => new Response(body, { status: 500 }), {
      maxResponseBytes: 4096,
    })
    const error = (await client['things']?.().catch((thrown: unknown) => thrown)) as {
      readonly response: Response
    }
    expect((await error.response.text()).length).toBe(4096)
  })
})
