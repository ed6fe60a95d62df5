import { describe, expect, it } from 'vitest'
import type { CallOptions, OperationFacts } from './call.js'
import { readTextEvents, type EventStream } from './events.js'
import { resumed, type ResumeOptions } from './resumed.js'

const operation: OperationFacts = {
  id: 'watch',
  method: 'GET',
  path: '/',
  security: [[]],
  idempotent: true,
  parameters: [],
  responses: {},
}

type Event = { readonly data: string }

const lost = new TypeError('terminated')

/** A response of a string, at whose end the connection breaks. */
function createBrokenStream(text: string, facts = operation): EventStream<Event, true> {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (text === '') controller.error(lost)
      else controller.enqueue(new TextEncoder().encode(text))
      text = ''
    },
  })
  return readTextEvents(facts, new Response(body), 1000) as EventStream<Event, true>
}

const createWholeStream = (text: string) =>
  readTextEvents(operation, new Response(text), 1000) as EventStream<Event, true>

type StreamOutcome = EventStream<Event, true> | Error

/** Reads streams that follow each other. */
async function read(streams: readonly StreamOutcome[], options: ResumeOptions = {}) {
  const [asked, waits, events]: [(string | null)[], number[], string[]] = [[], [], []]
  const open = ({ headers }: CallOptions) => {
    asked.push(new Headers(headers).get('last-event-id'))
    const stream = streams[asked.length - 1] ?? new Error('one call too many')
    return stream instanceof Error ? Promise.reject(stream) : Promise.resolve(stream)
  }
  const wait = (milliseconds: number) => Promise.resolve(void waits.push(milliseconds))
  try {
    for await (const event of resumed(open, { wait, ...options })) events.push(event.data)
    return { asked, waits, events }
  } catch (error) {
    return { asked, waits, events, error }
  }
}

describe('a resumed stream', () => {
  it('continues after the last id, after the requested delay', async () => {
    const streams = [
      createBrokenStream('id:1\ndata:a\n\nid:2\ndata:b\n\nid:3\ndata:cut'),
      createBrokenStream('retry:10\n\n'),
      createWholeStream('data:c\n\n'),
    ]
    expect(await read(streams)).toEqual({
      asked: [null, '2', '2'],
      waits: [3000, 10],
      events: ['a', 'b', 'c'],
    })
  })

  it("sends an id byte for byte, next to the caller's headers", async () => {
    const { asked } = await read([createBrokenStream('id:…\ndata:a\n\n'), createWholeStream('')], {
      headers: { 'x-a': '1' },
    })
    expect(asked).toEqual([null, '\u00E2\u0080\u00A6'])
  })

  it('reconnects after a connection failure, but not after any other error', async () => {
    const first = () => createBrokenStream('id:1\ndata:a\n\n')
    expect(await read([first(), lost, createWholeStream('data:b\n\n')])).toMatchObject({
      asked: [null, '1', '1'],
      events: ['a', 'b'],
    })
    const rejected = new Error('503')
    expect(await read([first(), rejected])).toMatchObject({ asked: [null, '1'], error: rejected })
    expect(await read([lost])).toMatchObject({ asked: [null], error: lost })
  })

  it('ends with the error if no event had an id, or the id was reset', async () => {
    const fault = { reason: 'incomplete_body' }
    expect(await read([createBrokenStream('data:a\n\n')])).toMatchObject({
      asked: [null],
      events: ['a'],
      error: fault,
    })
    expect(await read([createBrokenStream('id:1\ndata:a\n\nid\ndata:b\n\n')])).toMatchObject({
      asked: [null],
      error: fault,
    })
  })

  it('gives up after several consecutive calls without an event', async () => {
    const silent = () => createBrokenStream('')
    const streams = [
      createBrokenStream('id:1\ndata:a\n\n'),
      silent(),
      createBrokenStream('data:b\n\n'),
      silent(),
      silent(),
      silent(),
    ]
    expect(await read(streams, { attempts: 3 })).toMatchObject({
      asked: [null, '1', '1', '1', '1'],
      events: ['a', 'b'],
      error: { reason: 'incomplete_body' },
    })
  })

  it('is rejected for an operation that must not be repeated', async () => {
    const stream = createBrokenStream('id:1\ndata:a\n\n', { ...operation, idempotent: false })
    expect(await read([stream])).toMatchObject({ events: [], error: { name: 'InvalidInputError' } })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  it('is not reopened after an abort, which also ends the wait', async () => {
    const stop = new AbortController()
    const reading = read(
      [createBrokenStream('id:1\ndata:a\n\n'), createWholeStream('data:b\n\n')],
      {
        signal: stop.signal,
        wait: async (_milliseconds, signal) => {
          stop.abort(new Error('enough'))
          signal?.throwIfAborted()
          await Promise.resolve()
        },
      },
    )
    expect(await reading).toMatchObject({
      asked: [null],
      events: ['a'],
      error: { message: 'enough' },
    })
  })

  it('ends its default wait with an abort', async () => {
    const stop = new AbortController()
    const reading = (async () => {
      const open = () => Promise.resolve(createBrokenStream('retry:2147483647\nid:1\ndata:a\n\n'))
      for await (const event of resumed(open, { signal: stop.signal })) {
        expect(event.data).toBe('a')
        // the connection breaks when the next event is asked for, and the wait begins
        setImmediate(() => stop.abort(new Error('enough')))
      }
    })()
    await expect(reading).rejects.toThrow('enough')
  })
})
