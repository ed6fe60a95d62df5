import { getEventListeners, once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { compose, withMiddleware, type Call, type Send } from '@farebox/middleware'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { TimeoutError } from './errors.js'
import { retry } from './retry.js'
import { timeout } from './timeout.js'

const get: Call = {
  url: 'https://api.example/lines?key=s3cret',
  method: 'GET',
  headers: new Headers(),
}

/** Never responds, and ends with its signal, as fetch does. */
const silent: Send = ({ signal }) =>
  new Promise((_, reject) =>
    signal?.addEventListener('abort', () => reject(signal.reason as Error)),
  )

const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('no error'),
    (error: unknown) => error,
  )

describe('by a clock of the test', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    // neither a timer nor a listener outlives its call
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  test('a call without a response in time fails, and says which limit it exceeded', async () => {
    const failed = catchError(timeout({ responseMs: 5_000, totalMs: 60_000 })(silent)(get))
    await vi.advanceTimersByTimeAsync(5_000)
    const error = (await failed) as TimeoutError
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({
      code: 'no_response',
      timeoutMs: 5_000,
      mayHaveArrived: true,
      message: 'GET https://api.example/lines: no response began within 5000 ms',
    })
  })

  test.each([
    ['GET', 2],
    ['POST', 1],
  ])('a %s is sent %i times with two attempts', async (method, sends) => {
    let sent = 0
    const counted: Send = (call) => (sent++, silent(call))
    const send = compose(counted, [
      retry({ attempts: 2, backoff: () => 0 }),
      timeout({ responseMs: 100 }),
    ])
    const failed = catchError(send({ ...get, method }))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await failed).toMatchObject({ code: 'lost_response', cause: { code: 'no_response' } })
    expect(sent).toBe(sends)
  })

  test('a body that keeps coming may take any time, one that stalls is ended for its reader and its sender', async () => {
    let cancelled: unknown
    let source: ReadableStreamDefaultController<Uint8Array> | undefined
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => void (source = controller),
      cancel: (reason) => void (cancelled = reason),
    })
    const response = await timeout({ idleMs: 1_000 })(async () => new Response(stream))(get)
    const reader = response.body?.getReader()
    for (let chunk = 0; chunk < 10; chunk++) {
      const read = reader?.read()
      await vi.advanceTimersByTimeAsync(900)
      source?.enqueue(Uint8Array.of(chunk))
      expect((await read)?.value).toEqual(Uint8Array.of(chunk))
    }
    // a reader that takes its time does not count
    await vi.advanceTimersByTimeAsync(60_000)
    const stalled = catchError(Promise.resolve(reader?.read()))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await stalled).toMatchObject({ name: 'TimeoutError', code: 'idle', timeoutMs: 1_000 })
    expect(cancelled).toMatchObject({ code: 'idle' })
  })

  test('the total limit includes the body', async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await new Promise((resolve) => setTimeout(resolve, 400))
        controller.enqueue(Uint8Array.of(1))
      },
    })
    const response = await timeout({ idleMs: 500, totalMs: 3_000 })(
      async () => new Response(endless),
    )(get)
    const failed = catchError(response.text())
    await vi.advanceTimersByTimeAsync(3_400)
    expect(await failed).toMatchObject({ code: 'total', timeoutMs: 3_000 })
  })

  test('a response without a body, a body that ends, and one that is cancelled leave nothing behind', async () => {
    const caller = new AbortController()
    const limits = timeout({ responseMs: 1_000, idleMs: 1_000, totalMs: 9_000 })
    const call = { ...get, signal: caller.signal }
    await limits(async () => new Response(null, { status: 204 }))(call)
    expect(await (await limits(async () => new Response('ok'))(call)).text()).toBe('ok')
    await (await limits(async () => new Response('ok'))(call)).body?.cancel()
    expect(getEventListeners(caller.signal, 'abort')).toEqual([])
  })

  test('an abort of the caller ends the call and its body with the reason of the caller', async () => {
    const caller = new AbortController()
    const limits = timeout({ responseMs: 1_000, totalMs: 2_000 })
    const waiting = catchError(limits(silent)({ ...get, signal: caller.signal }))
    const response = await limits(async () => new Response(new ReadableStream()))({
      ...get,
      signal: caller.signal,
    })
    const reading = catchError(response.text())
    const reason = new Error('enough')
    caller.abort(reason)
    expect(await waiting).toBe(reason)
    expect(await reading).toBe(reason)
    expect(await catchError(limits(silent)({ ...get, signal: caller.signal }))).toBe(reason)
  })

  test.each([0, -1, NaN])('a limit of %d is rejected', (idleMs) => {
    expect(() => timeout({ idleMs })).toThrow(`timeout: idleMs is ${idleMs}, expected at least 1`)
  })
})

test('over HTTP, a server that stalls in its body loses its connection, and the reader learns why', async () => {
  let closed: Promise<unknown> = Promise.resolve()
  const stall = (response: ServerResponse) => {
    closed = once(response, 'close')
    response.write('first part')
  }
  const server = createServer((_, response) => stall(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const steadyFetch = withMiddleware(fetch, timeout({ idleMs: 50 }))
  const { port } = server.address() as AddressInfo
  const response = await steadyFetch(`http://127.0.0.1:${port}/`)
  expect(await catchError(response.text())).toMatchObject({ code: 'idle' })
  await closed
  server.close()
})
