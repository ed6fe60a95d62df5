import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { generate } from '../pipeline/generate.js'
import { folder } from '../pipeline/target.js'
import { compile } from '../try-documents/compile.js'
import { client } from './client.js'
import { table } from './table.js'
import { types } from './types.js'
import { zodWith } from './zod.js'

/** Inside the package, so that the generated imports of zod resolve; ignored by git. */
const work = fileURLToPath(new URL('../../.tmp/streams/', import.meta.url))

const text = { type: 'string' }
const chunk = { $ref: '#/components/schemas/Chunk' }
const createResponses = (content: object) => ({
  responses: { 200: { description: 'Items.', content } },
})
const createRequestBody = (content: object) => ({ requestBody: { required: true, content } })
const createEventSchema = (properties: object) => ({
  type: 'object',
  properties,
  required: ['event', 'data'],
})

const document = {
  openapi: '3.1.0',
  info: { title: 'Streams', version: '1' },
  paths: {
    '/chat': {
      post: {
        operationId: 'chat',
        ...createResponses({
          'application/json': { schema: { type: 'object', properties: { whole: text } } },
          'text/event-stream': { schema: chunk },
        }),
      },
    },
    '/complete': {
      post: {
        operationId: 'complete',
        ...createRequestBody({
          'application/json': {
            schema: {
              type: 'object',
              properties: { prompt: text, stream: { type: ['boolean', 'null'] } },
              required: ['prompt'],
            },
          },
        }),
        ...createResponses({
          'application/vnd.chat+json': { schema: { type: 'object', properties: { whole: text } } },
          'text/event-stream': { schema: chunk },
        }),
      },
    },
    '/watch': {
      get: {
        operationId: 'watch',
        ...createResponses({
          'text/event-stream': { schema: { $ref: '#/components/schemas/Change' } },
        }),
      },
    },
    '/plain': { get: { operationId: 'plain', ...createResponses({ 'text/event-stream': {} }) } },
    '/lines': {
      get: {
        operationId: 'lines',
        ...createResponses({ 'application/x-ndjson': { schema: { type: 'array', items: chunk } } }),
      },
      post: {
        operationId: 'echo',
        ...createRequestBody({ 'application/jsonl': { schema: chunk } }),
        ...createResponses({ 'application/jsonl': { schema: chunk } }),
      },
    },
    '/records': {
      get: {
        operationId: 'records',
        ...createResponses({ 'application/json-seq': { schema: chunk } }),
      },
    },
    '/bytes': {
      get: {
        operationId: 'bytes',
        ...createResponses({ 'text/event-stream': { schema: { ...text, format: 'binary' } } }),
      },
    },
  },
  components: {
    schemas: {
      Chunk: {
        type: 'object',
        properties: { delta: text },
        required: ['delta'],
        additionalProperties: false,
      },
      Change: {
        oneOf: [
          createEventSchema({
            event: { const: 'made' },
            data: { ...text, contentMediaType: 'application/json', contentSchema: chunk },
            id: text,
          }),
          createEventSchema({ event: { const: 'gone' }, data: text }),
        ],
      },
    },
  },
}

/** What a program in TypeScript may and may not do with the results. */
const program = `
import { createClient, resumed, validated, type EventStream, type ItemStream } from './out/client/index.js'
import { validators } from './out/zod/operations.js'

const client = createClient({ baseUrl: '' })

export async function run(): Promise<string> {
  const chat = await client.chat()
  if ('next' in chat.data) for await (const { data, event } of chat.data) return data.delta + event
  else return chat.data.whole ?? ''
  const whole: string | undefined = (await client.complete({ prompt: '' })).data.whole
  const written: string | undefined = (await client.complete({ prompt: '', stream: false })).data.whole
  for await (const { data } of (await client.complete({ prompt: '', stream: true })).data) return data.delta + whole + written
  // @ts-expect-error items have no fields of the whole
  void (await client.complete({ prompt: '', stream: true })).data.whole
  // @ts-expect-error the prompt is required
  void client.complete({ stream: true })
  const either = await client.complete({ prompt: '', stream: Math.random() > 0.5 })
  if ('next' in either.data) for await (const { data } of either.data) return data.delta
  else return either.data.whole ?? ''
  for await (const change of (await client.watch()).data) {
    if (change.event === 'made') return change.data.delta + change.id
    return change.data.toUpperCase()
  }
  for await (const line of (await client.lines()).data) return line.delta
  const records: ItemStream<{ readonly delta: string }> = (await client.records()).data
  const plain: EventStream<{ readonly data: string; readonly retry?: number }, true> = (await client.plain()).data
  for await (const { data } of resumed(async (options) => (await client.plain({}, options)).data)) return data
  // @ts-expect-error a call that must not be repeated cannot be resumed
  resumed(async (options) => (await client.chat({}, options)).data as EventStream<string, false>)
  for await (const item of validated(records, validators.records.responses[200]['application/json-seq'])) return item.delta
  await client.echo({ body: [{ delta: '' }] })
  // @ts-expect-error a line is an object
  await client.echo({ body: [1] })
  const bytes: Response = (await client.bytes()).data
  return bytes.statusText + plain.lastEventId
}
`

/** Without the libraries and types that a small program does not list. */
const options = { lib: ['es2022', 'dom', 'dom.iterable'], types: [] }

type Client = Readonly<
  Record<string, (input?: object, options?: object) => Promise<{ readonly data: unknown }>>
>
type Module = {
  readonly createClient: (options: { readonly baseUrl: string }) => Client
  readonly resumed: (
    open: (options: object) => Promise<unknown>,
    options: object,
  ) => AsyncIterable<unknown>
}
type Stream = AsyncIterableIterator<unknown> & { readonly return: () => Promise<unknown> }

let generated: Module
const servers = new Set<ReturnType<typeof createServer>>()

beforeAll(async () => {
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  await writeFile(join(work, 'streams.json'), JSON.stringify(document))
  const emitters = [types, zodWith(), client]
  const result = await generate({
    spec: 'streams.json',
    cwd: work,
    emitters,
    target: folder('out', 'test'),
  })
  expect([result.status, result.diagnostics]).toEqual(['written', []])
  generated = (await import(pathToFileURL(join(work, 'out/client/index.ts')).href)) as Module
})
afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  servers.clear()
})
afterAll(async () => rm(work, { recursive: true, force: true }))

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A client of a server at a port of its own. */
async function connect(handler: Handler): Promise<Client> {
  const server = createServer(handler)
  servers.add(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return generated.createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
}

async function createStream(
  call: Promise<{ readonly data: unknown }> | undefined,
): Promise<Stream> {
  return (await call)?.data as Stream
}

/** What one side opens and the other waits for. */
class Gate<T> {
  open!: (value: T) => void
  readonly opened = new Promise<T>((resolve) => {
    this.open = resolve
  })
}

/** A server that sends each text after the one before was acknowledged. */
function createPacedHandler(type: string, texts: readonly string[]) {
  const waiting = texts.map(() => new Gate<void>())
  const closed = new Gate<boolean>()
  const handler: Handler = (_request, response) => {
    response.on('close', () => closed.open(response.writableFinished))
    void (async () => {
      response.writeHead(200, { 'content-type': type })
      for (const [index, part] of texts.entries()) {
        response.write(part)
        await waiting[index]?.opened
      }
      response.end()
    })()
  }
  return { handler, acknowledge: (index: number) => waiting[index]?.open(), closed: closed.opened }
}

describe('a generated client', () => {
  it('has a table that separates items from the rest', async () => {
    const result = await generate({
      spec: 'streams.json',
      cwd: work,
      emitters: [table],
      target: folder('table', 'test'),
    })
    expect(result.status).toBe('written')
    const written = await readFile(join(work, 'table/table/index.ts'), 'utf8')
    expect(written).toContain(
      "    '200': { contentTypes: ['application/json', 'text/event-stream'], kind: 'mixed', kinds: ['json', 'stream'] },",
    )
    expect(written).toContain(
      "  readonly kind: 'json' | 'text' | 'binary' | 'stream' | 'mixed' | 'empty'\n",
    )
  })

  it('compiles with typed items, and rejects wrong ones', async () => {
    await writeFile(join(work, 'program.ts'), program)
    expect([...(await compile(work, ['program.ts', 'out'], options))]).toEqual([])
  })

  it.each([
    [
      'chat',
      'text/event-stream',
      ['data: {"delta":"a"}\n\n', 'data: {"delta":"b"}\n\n'],
      [{ data: { delta: 'a' } }, { data: { delta: 'b' } }],
    ],
    [
      'watch',
      'text/event-stream; charset=utf-8',
      ['event: made\nid: 1\ndata: {"delta":"a"}\n\n', 'event: gone\ndata: 1\n\n'],
      [
        { event: 'made', id: '1', data: { delta: 'a' } },
        { event: 'gone', data: '1' },
      ],
    ],
    [
      'lines',
      'application/x-ndjson',
      ['{"delta":"a"}\n', '{"delta":"b"}\n'],
      [{ delta: 'a' }, { delta: 'b' }],
    ],
    [
      'records',
      'application/json-seq',
      ['\x1E{"delta":"a"}\n', '\x1E{"delta":"b"}\n'],
      [{ delta: 'a' }, { delta: 'b' }],
    ],
  ])(
    'returns the first item of %s while the service delays the second',
    async (operation, type, texts, items) => {
      const { handler, acknowledge, closed } = createPacedHandler(type, texts)
      const stream = await createStream((await connect(handler))[operation]?.())
      expect(await stream.next()).toEqual({ done: false, value: items[0] })
      acknowledge(0)
      expect(await stream.next()).toEqual({ done: false, value: items[1] })
      acknowledge(1)
      expect(await stream.next()).toEqual({ done: true, value: undefined })
      expect(await closed).toBe(true)
    },
  )

  it('closes the connection when a loop exits', async () => {
    const { handler, closed } = createPacedHandler('text/event-stream', [
      'data: {"delta":"a"}\n\n',
      '',
    ])
    for await (const item of await createStream((await connect(handler))['chat']?.())) {
      expect(item).toEqual({ data: { delta: 'a' } })
      break
    }
    expect(await closed).toBe(false)
  })

  it('closes the connection at an abort, which the loop then throws', async () => {
    const { handler, closed } = createPacedHandler('text/event-stream', ['data: 1\n\n', ''])
    const stop = new AbortController()
    const stream = await createStream(
      (await connect(handler))['plain']?.({}, { signal: stop.signal }),
    )
    expect(await stream.next()).toEqual({ done: false, value: { data: '1' } })
    const next = stream.next()
    stop.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
    expect(await closed).toBe(false)
  })

  it('continues after the last id if the connection broke', async () => {
    const requests: (string | undefined)[] = []
    const api = await connect((request, response) => {
      const from = request.headers['last-event-id']
      requests.push(from?.toString())
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      if (from === '2') response.end('data: c\n\n')
      else response.write('id: 1\ndata: a\n\nid: 2\ndata: b\n\n', () => response.destroy())
    })
    const found: unknown[] = []
    const open = async (options: object) => createStream(api['plain']?.({}, options))
    for await (const item of generated.resumed(open, { wait: () => Promise.resolve() }))
      found.push((item as { readonly data: string }).data)
    expect([found, requests]).toEqual([
      ['a', 'b', 'c'],
      [undefined, '2'],
    ])
  })

  it('sends items as they are produced, and reads the response to one before the next is produced', async () => {
    const api = await connect((request, response) => {
      response.writeHead(200, { 'content-type': 'application/jsonl' })
      response.flushHeaders()
      request.pipe(response)
    })
    const hasResponded = new Gate<void>()
    async function* createItem() {
      yield { delta: 'a' }
      await hasResponded.opened
      yield { delta: 'b' }
    }
    const stream = await createStream(api['echo']?.({ body: createItem() }))
    expect(await stream.next()).toEqual({ done: false, value: { delta: 'a' } })
    hasResponded.open()
    expect(await stream.next()).toEqual({ done: false, value: { delta: 'b' } })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })
})
