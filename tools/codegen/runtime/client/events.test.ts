import { describe, expect, it } from 'vitest'
import type { OperationFacts } from './call.js'
import { createEventsReader, readEvents, readTextEvents, type EventStream } from './events.js'

const operation: OperationFacts = {
  id: 'watch',
  method: 'GET',
  path: '/',
  security: [[]],
  idempotent: true,
  parameters: [],
  responses: {},
}

type Event = {
  readonly data: unknown
  readonly event?: string
  readonly id?: string
  readonly retry?: number
}

function open(
  chunks: readonly (string | Uint8Array)[],
  { read = readTextEvents, maxBytes = 1e6 } = {},
): EventStream<Event> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks)
        controller.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk)
      controller.close()
    },
  })
  return read(operation, new Response(body), maxBytes) as EventStream<Event>
}

async function readAll(stream: AsyncIterable<Event>): Promise<readonly Event[]> {
  const events: Event[] = []
  for await (const event of stream) events.push(event)
  return events
}

const long = 'x'.repeat(2048)

/**
 * The cases of web-platform-tests (eventsource/format-*.any.js), each named as there, with what the
 * tests there see of the events. Each text ends as their server ends it: with two line feeds, or as
 * it is with `newline=none`.
 */
const published: Readonly<Record<string, readonly [text: string, events: readonly Event[]]>> = {
  'format-bom': ['\uFEFFdata:1\n\n\uFEFFdata:2\n\ndata:3\n\n', [{ data: '1' }, { data: '3' }]],
  'format-bom-2': ['\uFEFF\uFEFFdata:1\n\ndata:2\n\ndata:3\n\n', [{ data: '2' }, { data: '3' }]],
  'format-comments': [
    `data:1\r:\0\n:\r\ndata:2\n:${long}\rdata:3\n:data:fail\r:${long}\ndata:4\n\n`,
    [{ data: '1\n2\n3\n4' }],
  ],
  'format-data-before-final-empty-line': [
    'retry:1000\ndata:test1\n\nid:test\ndata:test2',
    [{ retry: 1000, data: 'test1' }],
  ],
  'format-field-data': [
    'data:\n\ndata\ndata\n\ndata:test\n\n',
    [{ data: '' }, { data: '\n' }, { data: 'test' }],
  ],
  'format-field-event': [
    'event:test\ndata:x\n\ndata:x\n\n',
    [{ event: 'test', data: 'x' }, { data: 'x' }],
  ],
  'format-field-event-empty': ['event: \ndata:data\n\n', [{ data: 'data' }]],
  'format-field-id': ['id:…\ndata:hello\n\n', [{ id: '…', data: 'hello' }]],
  'format-field-id-2': ['id\ndata:hello\n\n', [{ id: '', data: 'hello' }]],
  'format-field-id-null': ['id:\0\0\ndata:hello\n\n', [{ data: 'hello' }]],
  'format-field-parsing': [
    'data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n',
    [{ data: '\0\n 2\n1\n3\n\n4' }],
  ],
  'format-field-retry': ['retry:03000\ndata:x\n\n', [{ retry: 3000, data: 'x' }]],
  'format-field-retry-bogus': ['retry:2000\nretry:1000x\ndata:x\n\n', [{ retry: 2000, data: 'x' }]],
  'format-field-retry-empty': ['retry\ndata:test\n\n', [{ data: 'test' }]],
  'format-field-unknown': [
    'data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\n\n',
    [{ data: 'test\n' }],
  ],
  'format-leading-space': ['data:\ttest\rdata: \ndata:test\n\n', [{ data: '\ttest\n\ntest' }]],
  'format-newlines': ['data:test\r\ndata\ndata:test\r\n\r\n', [{ data: 'test\n\ntest' }]],
  'format-null-character': ['data:\0\n\n', [{ data: '\0' }]],
  'format-utf-8': ['data:ok…\n\n', [{ data: 'ok…' }]],
}

describe('an event stream', () => {
  for (const [name, [text, events]] of Object.entries(published)) {
    it(`is parsed as in ${name}, at once and byte by byte`, async () => {
      expect(await readAll(open([text]))).toEqual(events)
      expect(
        await readAll(
          open(Array.from(new TextEncoder().encode(text), (byte) => Uint8Array.of(byte))),
        ),
      ).toEqual(events)
    })
  }

  it('emits an event that ends with a carriage return before the next byte arrives', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const stream = readTextEvents(operation, new Response(readable), 100) as EventStream<Event>
    const writer = writable.getWriter()
    void writer.write(new TextEncoder().encode('data:1\r\r'))
    expect(await stream.next()).toEqual({ done: false, value: { data: '1' } })
    void writer.write(new TextEncoder().encode('\ndata:2\r\r'))
    expect(await stream.next()).toEqual({ done: false, value: { data: '2' } })
  })

  it('keeps the last id, even from a block without data, until another replaces it', async () => {
    const stream = open([
      'data:0\n\nid:1\ndata:a\n\ndata:b\n\nid:2\n\nid\ndata:c\n\nid:3\ndata:cut off',
    ])
    const ids: (string | undefined)[] = []
    for await (const event of stream) ids.push(`${String(event.data)} ${stream.lastEventId}`)
    expect(ids).toEqual(['0 undefined', 'a 1', 'b 1', 'c '])
    expect(stream.lastEventId).toBe('')
  })

  it('returns the reconnection time', async () => {
    const stream = open(['retry:10\n\n'])
    expect(await readAll(stream)).toEqual([])
    expect(stream.retry).toBe(10)
  })

  it('has data that is JSON, and ends at [DONE]', async () => {
    const text = 'data: {"a":\ndata: 1}\n\ndata: [DONE]\n\ndata: 2\n\n'
    expect(await readAll(open([text], { read: readEvents }))).toEqual([{ data: { a: 1 } }])
    expect(await readAll(open(['data: [DONE]\n\n']))).toEqual([{ data: '[DONE]' }])
  })

  it('parses JSON data only for some event names', async () => {
    const text = 'event:a\ndata:1\n\nevent:b\ndata:1\n\ndata:1\n\n'
    const [a, b] = [
      { event: 'a', data: 1 },
      { event: 'b', data: '1' },
    ]
    expect(await readAll(open([text], { read: createEventsReader('text', ['a']) }))).toEqual([
      a,
      b,
      { data: '1' },
    ])
    expect(await readAll(open([text], { read: createEventsReader('json', ['b']) }))).toEqual([
      a,
      b,
      { data: 1 },
    ])
  })

  it('fails at an event with invalid JSON without quoting it', async () => {
    const stream = open(['data:1\n\ndata:{"key":"secret\n\ndata:2\n\n'], { read: readEvents })
    expect(await stream.next()).toEqual({ done: false, value: { data: 1 } })
    await expect(stream.next()).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      reason: 'malformed_json',
      excerpt: '',
      message: 'watch: the response 200 has an item that is broken JSON',
    })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  it('has a limit for a line and for the data of an event, but not for the whole stream', async () => {
    const max = { maxBytes: 20 }
    expect(await readAll(open(Array<string>(9).fill('data:12345678\n\n'), max))).toHaveLength(9)
    const tooLarge = {
      reason: 'too_large',
      message: 'watch: the response 200 has an item of more than 20 bytes',
    }
    await expect(readAll(open(['data:12345678901', '23456789'], max))).rejects.toMatchObject(
      tooLarge,
    )
    await expect(readAll(open(['data:1234567\n'.repeat(2)], max))).rejects.toMatchObject(tooLarge)
    expect(await readAll(open([': a comment\n'.repeat(9), 'data:1\n\n'], max))).toEqual([
      { data: '1' },
    ])
  })

  it('of an operation that may be repeated can be resumed', () => {
    expect(open([]).resumable).toBe(true)
    expect(
      (readEvents({ ...operation, idempotent: false }, new Response(''), 1) as EventStream<Event>)
        .resumable,
    ).toBe(false)
  })
})
