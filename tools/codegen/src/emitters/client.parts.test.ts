import fc from 'fast-check'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deepTest } from '../../../internal/testing/src/rounds.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { character } from '../../runtime/arbitraries/scalars.js'
import { encodeParts } from '../../runtime/client/encode-parts.js'
import { createPartsReader } from '../../runtime/client/parts.js'
import { generateClient, type Calls } from '../../test/generated-client.js'
import { client } from './client.js'
import { server } from './server.js'
import { types } from './types.js'
import { zod } from './zod.js'

const chunk = { type: 'object', properties: { delta: { type: 'string' } }, required: ['delta'] }
const image = { type: 'string', contentMediaType: 'image/png' }
const text = { type: 'string' }
const createResponses = (media: object, mediaType = 'multipart/mixed') => ({
  responses: { 200: { description: 'Parts.', content: { [mediaType]: media } } },
})
const mixed = { itemSchema: { anyOf: [chunk, image, text] } }
const led = {
  schema: { type: 'array', prefixItems: [chunk], items: image },
  prefixEncoding: [{ contentType: 'application/json' }],
  itemEncoding: { contentType: 'image/png' },
}

const document = {
  openapi: '3.2.0',
  info: { title: 'Parts', version: '1' },
  paths: {
    '/chunks': { get: { operationId: 'chunks', ...createResponses({ itemSchema: chunk }) } },
    '/echo': {
      post: {
        operationId: 'echo',
        requestBody: { required: true, content: { 'multipart/mixed': mixed } },
        ...createResponses(mixed),
      },
    },
    '/led': {
      post: {
        operationId: 'led',
        requestBody: { required: true, content: { 'multipart/related': led } },
        ...createResponses(led, 'multipart/related'),
      },
    },
    '/whole': { get: { operationId: 'whole', ...createResponses({ schema: { type: 'object' } }) } },
  },
}

const program = `
import { createClient, validated, type ItemStream } from './out/client/index.js'
import { validators } from './out/zod/operations.js'
const client = createClient({ baseUrl: '' })
const chunks: ItemStream<{ readonly delta: string }> = (await client.chunks()).data
for await (const { delta } of validated(chunks, validators.chunks.responses[200]['multipart/mixed'])) void delta.length
for await (const item of (await client.echo({ body: [{ delta: '' }, 'text', new Uint8Array(), new Blob()] })).data) {
  if (item instanceof Blob) void item.size
  else if (typeof item === 'string') void item.length
  else void item.delta
}
// @ts-expect-error a part is no number
await client.echo({ body: [1] })
await client.led({ body: (async function* () { yield { delta: '' }; yield new Blob() })() })
`

type App = { readonly fetch: (request: Request) => Promise<Response> }
type AnyRequest = { readonly body: AsyncIterable<unknown> }
type ServerModule = { readonly createServer: (handlers: object) => App }

let generatedClient: Awaited<ReturnType<typeof generateClient>>
let served: typeof generatedClient
let app: App
let open: (options: object) => Calls
let wire: Response | undefined

beforeAll(async () => {
  generatedClient = await generateClient('parts', document)
  served = await generateClient('parts-server', document, {
    emitters: [types, zod, client, server],
  })
  open = (generatedClient.module as { readonly createClient: (options: object) => Calls })
    .createClient
  const { createServer: serve } = (await served.load('server/index.ts')) as ServerModule
  const echo = ({ body }: AnyRequest) => ({ status: 200, body })
  app = serve({
    chunks: () => ({ status: 200, body: [{ delta: 'a' }, { delta: 'b' }] }),
    echo,
    led: echo,
    whole: echo,
  })
})
afterAll(async () => Promise.all([generatedClient.remove(), served.remove()]))

/** A client whose calls go to the generated server. */
function createLocalClient(): Calls {
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    wire = await app.fetch(new Request(url, { ...init, duplex: 'half' } as RequestInit))
    return wire.clone()
  }
  return open({ baseUrl: 'https://a.example', fetch })
}

const parts = 'multipart/mixed; boundary="b b"'

/** What a body of parts is, in chunks of some bytes each. */
async function read(
  body: string,
  size = 1e6,
  types: readonly string[] = [],
  rest?: string,
  maxBytes = 1000,
): Promise<readonly unknown[]> {
  const bytes = new TextEncoder().encode(body)
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
  const response = new Response(stream, { headers: { 'content-type': parts } })
  return collect(createPartsReader(types, rest)({ id: 'test' } as never, response, maxBytes))
}

async function collect(items: unknown): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for await (const item of items as AsyncIterable<unknown>)
    all.push(item instanceof Blob ? await describeBlob(item) : item)
  return all
}

async function describeBlob(blob: Blob): Promise<object> {
  return {
    type: blob.type,
    bytes: [...new Uint8Array(await blob.arrayBuffer())],
    ...(blob instanceof File && { name: blob.name }),
  }
}

describe('parts of a response', () => {
  it.each([1, 2, 3, 7, 1e6])('are read by their types, in chunks of %i bytes', async (size) => {
    const body = [
      'a preamble, with\r\n--b bad in it\r\n--b b\r\n\r\nplain\r\n\r\n--b bold\r\n--b b  \r\nContent-Type: application/json\r\n\r\n{"a":\r\n1}\r\n',
      '--b b\r\ncontent-type: image/png\r\nContent-Disposition: attachment; filename="../x/y.png"\r\n\r\n\r\n\n\r\r\n',
      '--b b\r\nContent-Type: text/html\r\n\r\n\r\n--b b--\r\nan epilogue\r\n--b b\r\n\r\nmore',
    ].join('')
    expect(await read(body, size)).toEqual([
      'plain\r\n\r\n--b bold',
      { a: 1 },
      { type: 'image/png', bytes: [13, 10, 10, 13], name: 'y.png' },
      '',
    ])
  })

  it("have the document's types if they state none", async () => {
    const body = `--b b\r\n\r\n1\r\n--b b\r\n\r\n2\r\n--b b\r\nContent-Type: text/plain\r\n\r\n3\r\n--b b--`
    expect(await read(body, 5, ['application/json', ''], 'application/octet-stream')).toEqual([
      1,
      { type: 'application/octet-stream', bytes: [50] },
      '3',
    ])
  })

  it.each([
    ['without an end', '--b b\r\n\r\n1', 'incomplete_body'],
    ['nothing', '', 'incomplete_body'],
    [
      'broken JSON',
      '--b b\r\nContent-Type: application/json\r\n\r\n{\r\n--b b--',
      'malformed_json',
    ],
    ['a long line', `--b b\r\n\r\n${'x'.repeat(1001)}\r\n--b b--`, 'too_large'],
    ['many lines', `--b b\r\n\r\n${'\r\n'.repeat(600)}\r\n--b b--`, 'too_large'],
    ['many headers', `--b b\r\n${'a: b\r\n'.repeat(300)}`, 'too_large'],
  ])('that are malformed fail: %s', async (_, body, reason) => {
    await expect(read(body)).rejects.toMatchObject({ reason })
  })

  it('need a boundary', async () => {
    const response = new Response('', { headers: { 'content-type': 'multipart/mixed' } })
    expect(() => createPartsReader([])({ id: 'test' } as never, response, 10)).toThrow(
      'test: the response 200 has parts, and its Content-Type no boundary',
    )
  })

  it('are returned as they arrive, and an abort ends them', async () => {
    let out: ServerResponse | undefined
    const http = createServer((_, response) => {
      out = response
      response.writeHead(200, { 'content-type': 'multipart/mixed; boundary=b' })
      response.write('--b\r\nContent-Type: application/json\r\n\r\n{"delta":"1"}\r\n--b\r\n')
    }).listen(0, '127.0.0.1')
    await once(http, 'listening')
    const calls = open({ baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}` })
    const { signal, abort } = createAbortable()
    const items = (await calls['chunks']?.({}, { signal }))?.data as AsyncIterator<unknown>
    expect(await items.next()).toEqual({ done: false, value: { delta: '1' } })
    out?.write('Content-Type: application/json\r\n\r\n{"delta":"2"}\r\n--b\r\n')
    expect(await items.next()).toEqual({ done: false, value: { delta: '2' } })
    const closed = once(out ?? http, 'close')
    const last = items.next()
    abort()
    await expect(last).rejects.toThrow('stopped')
    await closed
    http.close()
  })
})

describe('parts of a request', () => {
  it('round-trip through the generated server', async () => {
    const item = fc.oneof(
      fc.record({ delta: fc.string({ unit: character }) }).map((value) => ({ ...value })),
      fc.string({ unit: fc.constantFrom('a', '\r', '\n', '-', 'ß') }),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => new Blob([bytes], { type: 'image/png' })),
      fc.uint8Array().map((bytes) => new File([bytes], 'a "b".png', { type: 'image/png' })),
    )
    const calls = createLocalClient()
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 5 }), async (items) => {
        const body = items.length % 2 === 0 ? items : toAsyncIterable(items)
        const found = await collect((await calls['echo']?.({ body }))?.data)
        const sent = await Promise.all(
          items.map(async (one) => (one instanceof Blob ? describeBlob(one) : one)),
        )
        expect(found).toEqual(sent.map(escapeName))
      }),
      { numRuns: 30 },
    )
    expect(wire?.headers.get('content-type')).toMatch(
      /^multipart\/mixed; boundary=farebox-[\da-f-]{36}$/,
    )
  })

  it('have the types of their positions', async () => {
    const calls = createLocalClient()
    await collect((await calls['led']?.({ body: [{ delta: 'a' }, new Uint8Array([1])] }))?.data)
    const heads = (await wire?.text())
      ?.split('\r\n')
      .filter((line) => line.startsWith('Content-Type'))
    expect(heads).toEqual(['Content-Type: application/json', 'Content-Type: image/png'])
  })

  it('are produced on demand, stopped by a cancel, and produced again for another attempt', async () => {
    let taken = 0
    let left = false
    const items = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: String(++taken) }),
        return: async () => {
          left = true
          return { done: true, value: undefined }
        },
      }),
    }
    const body = { contentType: 'multipart/mixed', take: () => undefined, encode: encodeParts }
    const { body: open } = encodeParts(items, body, { id: 'test' } as never)
    const reader = (open as () => ReadableStream<Uint8Array>)().getReader()
    for (let count = 0; count < 3; count++) await reader.read()
    expect(taken).toBe(1)
    await reader.cancel()
    expect(left).toBe(true)
    expect(() => (open as () => unknown)()).not.toThrow()
    const single = encodeParts(toAsyncIterable(['a']), body, { id: 'test' } as never)
      .body as () => unknown
    single()
    expect(single).toThrow('cannot be made again')
  })

  it.each(['text', 7, { delta: '' }, new Uint8Array()])('cannot be %j', async (body) => {
    await expect(async () => createLocalClient()['echo']?.({ body })).rejects.toThrow(
      'echo: the body is multipart/mixed, so it must be an array of parts',
    )
  })
})

deepTest('has types that agree', async () => {
  expect(await generatedClient.compile(program)).toBe('')
})

async function* toAsyncIterable(items: readonly unknown[]): AsyncGenerator {
  yield* items
}

/** Names are escaped as in forms. */
function escapeName(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || !('name' in item)) return item
  return { ...item, name: 'a %22b%22.png' }
}

function createAbortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(new Error('stopped')) }
}
