import { describe, expect, it } from 'vitest'
import type { OperationFacts } from './call.js'
import { readLines } from './json-items.js'
import type { ItemStream } from './stream.js'
import { InvalidItemError, validated } from './validated.js'

const operation: OperationFacts = {
  id: 'list',
  method: 'GET',
  path: '/',
  security: [[]],
  idempotent: true,
  parameters: [],
  responses: {},
}

/** A body that counts what is asked of it, and never ends by itself. */
function createEndlessBody() {
  const state = { pulled: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => controller.enqueue(new TextEncoder().encode(`${++state.pulled}\n`)),
      cancel() {
        state.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { body, state }
}

function open(body: ReadableStream<Uint8Array> | string, signal?: AbortSignal): ItemStream<number> {
  return readLines(operation, new Response(body), 1000, signal) as ItemStream<number>
}

describe('the items of a response', () => {
  it('are pulled one by one: no chunk is read before its item is requested', async () => {
    const { body, state } = createEndlessBody()
    const items = open(body)
    expect(state.pulled).toBe(0)
    await items.next()
    await items.next()
    expect(state.pulled).toBe(2)
  })

  it('are returned in order to concurrent readers', async () => {
    const items = open('1\n2\n3\n')
    const found = await Promise.all([items.next(), items.next(), items.next(), items.next()])
    expect(found.map(({ value }) => value)).toEqual([1, 2, 3, undefined])
  })

  it('cancel the response when a loop exits', async () => {
    const { body, state } = createEndlessBody()
    for await (const item of open(body)) if (item === 2) break
    expect(state).toEqual({ pulled: 2, isCancelled: true })
  })

  it('cancel the response before and during the first read', async () => {
    const unread = createEndlessBody()
    expect(await open(unread.body).return()).toEqual({ done: true, value: undefined })
    expect(unread.state).toEqual({ pulled: 0, isCancelled: true })
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const waiting = open(readable)
    const next = waiting.next()
    const written = writable.getWriter().write(new TextEncoder().encode('{"cut'))
    expect(await waiting.return()).toEqual({ done: true, value: undefined })
    expect(await next).toEqual({ done: true, value: undefined })
    await written.catch(() => undefined)
  })

  it('end with the reason of an abort, even if more have arrived', async () => {
    const stop = new AbortController()
    const items = open('1\n2\n3\n', stop.signal)
    expect(await items.next()).toEqual({ done: false, value: 1 })
    stop.abort(new Error('enough'))
    await expect(items.next()).rejects.toThrow('enough')
  })

  it('end with a contract error when the connection breaks, and with the abort reason after an abort', async () => {
    const broken = (error: Error) =>
      open(
        new ReadableStream<Uint8Array>({
          pull: (controller) => controller.error(error),
        }),
      ).next()
    const lost = new TypeError('terminated')
    await expect(broken(lost)).rejects.toMatchObject({
      reason: 'incomplete_body',
      message: 'list: the response 200 broke off',
      cause: lost,
    })
    await expect(broken(new DOMException('aborted', 'AbortError'))).rejects.toThrow(DOMException)
  })

  it('of an empty response are empty', async () => {
    const stream = readLines(operation, new Response(null), 1) as ItemStream<number>
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })
})

describe('validated items', () => {
  const small = {
    safeParse: (value: unknown) => ({ success: Number(value) < 3, error: 'too large' }),
  }

  it('are returned up to the first invalid one, which cancels the response', async () => {
    const { body, state } = createEndlessBody()
    const items: number[] = []
    const reading = (async () => {
      for await (const item of validated(open(body), small)) items.push(item)
    })()
    const fault = await reading.catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(InvalidItemError)
    expect(fault).toMatchObject({ item: 3, cause: 'too large' })
    expect(items).toEqual([1, 2])
    expect(state.isCancelled).toBe(true)
  })
})
