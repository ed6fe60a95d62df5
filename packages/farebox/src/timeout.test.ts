import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Call } from '@farebox/middleware'
import { initialState, type StatefulCall } from './call.js'
import { timeout } from './timeout.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const call = (signal?: AbortSignal): Call => ({
  url: 'http://x/',
  method: 'GET',
  headers: new Headers(),
  ...(signal && { signal }),
})
const bytes = new TextEncoder().encode('part')

/** A body with a chunk at each of these milliseconds. It ends after the last one. */
function createTimedBody(...times: readonly number[]) {
  const state = { cancelled: false }
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const at = (time: number, work: () => void) =>
        setTimeout(() => !state.cancelled && work(), time)
      for (const time of times) at(time, () => controller.enqueue(bytes))
      at((times.at(-1) ?? 0) + 1, () => controller.close())
    },
    cancel: () => void (state.cancelled = true),
  })
  return { body, state }
}
const json = { headers: { 'content-type': 'application/json' } }
const audio = { headers: { 'content-type': 'audio/mpeg' } }
const settle = async <T>(work: Promise<T>, ms: number): Promise<T | Error> => {
  const settled = work.catch((error: Error) => error)
  await vi.advanceTimersByTimeAsync(ms)
  return settled
}

describe('an attempt', () => {
  it('ends if no response begins in time, and aborts its fetch', async () => {
    let fetchSignal: AbortSignal | undefined
    const send = timeout(1_000)((sent) => {
      fetchSignal = sent.signal
      return new Promise(() => undefined)
    })
    const never = send(call())
    await vi.advanceTimersByTimeAsync(1_000)
    expect(fetchSignal?.reason).toMatchObject({
      code: 'timeout',
      message: 'No response came within 1000 ms. Raise timeoutMs if the service needs longer.',
    })
    void never.catch(() => undefined)
  })

  it('has no time limit for events that keep coming, and ends if they pause', async () => {
    const events = { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }
    const { body } = createTimedBody(900, 1_800, 2_700)
    const response = await timeout(1_000)(async () => new Response(body, events))(call())
    expect(await settle(response.text(), 2_800)).toBe('partpartpart')

    const paused = createTimedBody(900, 2_000)
    const begun = await timeout(1_000)(async () => new Response(paused.body, events))(call())
    expect(await settle(begun.text(), 1_900)).toMatchObject({
      code: 'timeout',
      message:
        'No part of the response came within 1000 ms. Raise idleTimeoutMs if the service needs longer.',
    })
  })

  it('ends if JSON has begun and is not complete in time', async () => {
    const { body, state } = createTimedBody(10, 900, 1_100)
    const response = await timeout(1_000)(async () => new Response(body, json))(call())
    expect(await settle(response.text(), 1_000)).toMatchObject({
      code: 'timeout',
      timeoutMs: 1_000,
    })
    expect(state.cancelled).toBe(true)
  })

  it('of an operation does so without another Response around it', async () => {
    const operation = { id: 'x', method: 'GET', path: '/', security: [], idempotent: true }
    const { body, state } = createTimedBody(10, 900, 1_100)
    const original = new Response(body, json)
    const tracked: StatefulCall = {
      ...call(),
      state: { ...initialState, requests: [], timeoutMs: 1_000 },
      operation,
    }
    const response = await timeout(60_000)(async () => original)(tracked)
    expect(response).toBe(original)
    const reader = response.body?.getReader()
    const all = async () => {
      while ((await reader?.read())?.done === false);
    }
    expect(await settle(all(), 1_000)).toMatchObject({ code: 'timeout', timeoutMs: 1_000 })
    expect(state.cancelled).toBe(true)
  })

  it('does not limit audio while chunks arrive', async () => {
    const response = await timeout(1_000)(
      async () => new Response(createTimedBody(900, 1_800, 2_700, 3_600).body, audio),
    )(call())
    expect(await settle(response.text(), 4_000)).toBe('partpartpartpart')
  })

  it('ends audio that stalls', async () => {
    const { body, state } = createTimedBody(100, 5_000)
    const response = await timeout(10_000, 500)(async () => new Response(body, audio))(call())
    expect(await settle(response.text(), 700)).toMatchObject({
      code: 'timeout',
      message:
        'No part of the response came within 500 ms. Raise idleTimeoutMs if the service needs longer.',
    })
    expect(state.cancelled).toBe(true)
  })

  it('lets a reader pause as long as it likes', async () => {
    const response = await timeout(
      1_000,
      500,
    )(async () => new Response(createTimedBody(1, 2, 3).body, audio))(call())
    const reader = response.body?.getReader()
    await settle(reader?.read() ?? Promise.reject(new Error('no body')), 10)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await settle(reader?.read() ?? Promise.reject(new Error('no body')), 10)).toMatchObject({
      done: false,
    })
  })

  it('keeps url, redirected and type of the response', async () => {
    const original = new Response('{}', {
      status: 201,
      statusText: 'Made',
      headers: { 'x-request-id': 'req_1', 'content-type': 'application/json' },
    })
    Object.defineProperty(original, 'url', { value: 'http://x/made' })
    const copy = await timeout(1_000)(async () => original)(call())
    expect([
      copy.status,
      copy.statusText,
      copy.url,
      copy.headers.get('x-request-id'),
      await copy.text(),
    ]).toEqual([201, 'Made', 'http://x/made', 'req_1', '{}'])
  })
})

describe('the caller’s own signal', () => {
  it('ends an attempt and its body with its own reason', async () => {
    const caller = new AbortController()
    const response = await timeout(1_000)(
      async () => new Response(createTimedBody(900).body, json),
    )(call(caller.signal))
    const text = response.text().catch((error: unknown) => error)
    caller.abort(new Error('enough'))
    expect(await settle(text, 0)).toMatchObject({ message: 'enough' })
  })

  it.each([
    ['a JSON body that was read', json, (response: Response) => response.text()],
    ['a stream that was read', audio, (response: Response) => response.arrayBuffer()],
    ['a body that was cancelled', json, async (response: Response) => response.body?.cancel()],
  ])('keeps no listener after %s', async (_name, init, use) => {
    const caller = new AbortController()
    const send = timeout(1_000)(async () => new Response(createTimedBody(1).body, init))
    for (let count = 0; count < 20; count++)
      await settle<unknown>(use(await send(call(caller.signal))), 10)
    expect(getEventListeners(caller.signal, 'abort')).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('keeps no listener after a failure', async () => {
    const caller = new AbortController()
    const send = timeout(1_000)(async () => Promise.reject(new TypeError('fetch failed')))
    await expect(send(call(caller.signal))).rejects.toThrow('fetch failed')
    expect(getEventListeners(caller.signal, 'abort')).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
