import { getEventListeners } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { withHeader, type Call, type Middleware } from './call.js'
import { withMiddleware } from './fetch.js'

function createCatcher() {
  const calls: Call[] = []
  const middleware: Middleware = () => async (call) => {
    calls.push(call)
    return new Response()
  }
  return { calls, fetch: withMiddleware(globalThis.fetch, middleware) }
}

test('a URL string becomes a GET', async () => {
  const { calls, fetch } = createCatcher()
  await fetch('http://a.test/x')
  expect(calls[0]).toEqual({
    url: 'http://a.test/x',
    method: 'GET',
    headers: new Headers(),
    init: {},
  })
})

test('a URL object, a lower-case method, headers and the caller’s own signal are accepted', async () => {
  const { calls, fetch } = createCatcher()
  const { signal } = new AbortController()
  await fetch(new URL('http://a.test/x'), {
    method: 'patch',
    headers: [['X-One', '1']],
    body: 'text',
    signal,
  })
  expect(calls[0]).toMatchObject({ url: 'http://a.test/x', method: 'PATCH', body: 'text' })
  expect(calls[0]?.signal).toBe(signal)
  expect(calls[0]?.headers.get('x-one')).toBe('1')
})

test('the caller’s headers are copied', async () => {
  const headers = new Headers({ 'x-one': '1' })
  const rude: Middleware = () => async (call) => {
    call.headers.set('x-one', '2')
    return new Response()
  }
  await withMiddleware(globalThis.fetch, rude)('http://a.test/', { headers })
  expect(headers.get('x-one')).toBe('1')
})

test('the call has the method, headers, signal, redirect and body of a Request', async () => {
  const { calls, fetch } = createCatcher()
  const request = new Request('http://a.test/x', {
    method: 'PUT',
    headers: { 'x-one': '1' },
    body: 'text',
    redirect: 'error',
  })
  await fetch(request)
  const call = calls[0]
  expect(call).toMatchObject({ url: 'http://a.test/x', method: 'PUT', init: { redirect: 'error' } })
  expect(call?.headers.get('x-one')).toBe('1')
  expect(call?.headers.get('content-type')).toBe('text/plain;charset=UTF-8')
  expect(call?.signal).toBe(request.signal)
  expect(request.bodyUsed).toBe(false)
  expect(new TextDecoder().decode(await openBody(call))).toBe('text')
})

/** The body that an attempt sends. */
const openBody = async (call: Call | undefined) =>
  (await (typeof call?.body === 'function' ? call.body() : (call?.body ?? undefined))) as
    | ArrayBuffer
    | undefined

const readBody = async (request: Request, init?: RequestInit) => {
  const { calls, fetch } = createCatcher()
  await fetch(request, init)
  return openBody(calls[0])
}

test('a Request that is not sent keeps its body, and one that is sent twice is read once', async () => {
  const request = new Request('http://a.test/', { method: 'POST', body: 'text' })
  const held: Middleware = () => async () => new Response()
  await withMiddleware(globalThis.fetch, held)(request)
  expect(request.bodyUsed).toBe(false)
  const sent: unknown[] = []
  const recordFetch: typeof globalThis.fetch = async (_url, init) => (
    sent.push(init?.body),
    new Response()
  )
  const twice: Middleware = (next) => async (call) => next(call).then(() => next(call))
  await withMiddleware(recordFetch, twice)(request)
  expect(sent[0]).toEqual(new TextEncoder().encode('text').buffer)
  expect(sent[1]).toBe(sent[0])
})

test('a Request without a body sends none, and one with an empty body sends an empty one', async () => {
  expect(await readBody(new Request('http://a.test/'))).toBe(undefined)
  expect(await readBody(new Request('http://a.test/', { method: 'POST' }))).toBe(undefined)
  expect(await readBody(new Request('http://a.test/', { method: 'POST', body: '' }))).toEqual(
    new ArrayBuffer(0),
  )
  expect(
    await readBody(new Request('http://a.test/', { method: 'POST', body: 'text' }), { body: null }),
  ).toEqual(new TextEncoder().encode('text').buffer)
})

test('a Request in Firefox, which has no request.body, sends its body', async () => {
  const shownNone = (init?: RequestInit) =>
    Object.defineProperty(new Request('http://a.test/', init), 'body', { value: undefined })
  expect(await readBody(shownNone({ method: 'POST', body: 'text' }))).toEqual(
    new TextEncoder().encode('text').buffer,
  )
  expect(await readBody(shownNone({ method: 'POST', body: '' }))).toBe(undefined)
  expect(await readBody(shownNone())).toBe(undefined)
})

test('a Request whose body was read, and an aborted one, reject as in fetch', async () => {
  const used = new Request('http://a.test/', { method: 'POST', body: 'text' })
  await used.text()
  await expect(readBody(used)).rejects.toMatchObject({
    name: 'TypeError',
    mayHaveArrived: false,
    retryable: false,
  })
  const aborted = new Request('http://a.test/', {
    method: 'POST',
    body: 'text',
    signal: AbortSignal.abort(new Error('enough')),
  })
  await expect(readBody(aborted)).rejects.toThrow('enough')
})

test('an abort rejects while the body of a Request is read, and leaves no listener', async () => {
  const abort = new AbortController()
  const { signal } = abort
  await readBody(new Request('http://a.test/', { method: 'POST', body: 'text' }), { signal })
  expect(getEventListeners(signal, 'abort')).toEqual([])
  const endless = new Request('http://a.test/', {
    method: 'POST',
    body: new ReadableStream(),
    duplex: 'half',
  } as RequestInit)
  const read = readBody(endless, { signal })
  abort.abort(new Error('enough'))
  await expect(read).rejects.toThrow('enough')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('the signal of a Request that nothing else holds still aborts the call', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const abort = new AbortController()
  let signal: AbortSignal | undefined
  const wait: Middleware = () => async (call) => {
    signal = call.signal
    return new Promise(() => undefined)
  }
  const start = () =>
    void withMiddleware(
      globalThis.fetch,
      wait,
    )(new Request('http://a.test/', { signal: abort.signal }))
  start()
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  abort.abort()
  expect(signal?.aborted).toBe(true)
})

test('init overrides the Request', async () => {
  const { calls, fetch } = createCatcher()
  const { signal } = new AbortController()
  const request = new Request('http://a.test/x', { method: 'PUT', body: 'old', redirect: 'error' })
  await fetch(request, {
    method: 'POST',
    headers: { 'x-one': '2' },
    body: 'new',
    signal,
    redirect: 'follow',
  })
  expect(calls[0]).toMatchObject({ method: 'POST', body: 'new', init: { redirect: 'follow' } })
  expect(calls[0]?.headers.get('content-type')).toBe(null)
  expect(calls[0]?.signal).toBe(signal)
})

test('signal: null removes the signal of the Request', async () => {
  const { calls, fetch } = createCatcher()
  await fetch(new Request('http://a.test/'), { signal: null })
  expect(calls[0]?.signal).toBe(undefined)
})

test('unknown fields of init are passed to fetch', async () => {
  const seen: unknown[] = []
  const inner = (async (_url: unknown, init: unknown) => {
    seen.push(init)
    return new Response()
  }) as typeof globalThis.fetch
  const dispatcher = {}
  await withMiddleware(inner)('http://a.test/', { dispatcher } as RequestInit)
  expect(seen[0]).toMatchObject({ dispatcher })
})

test('a URL that cannot be parsed is left for fetch to reject', async () => {
  await expect(withMiddleware(globalThis.fetch)('not an address')).rejects.toThrow(TypeError)
})

test('it works over a socket: text, form, stream, factory and Request bodies arrive, twice where they can', async () => {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () =>
      response.end(`${String(request.headers['x-added'])} ${Buffer.concat(parts).toString()}`),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const addHeader: Middleware = (next) => (call) => next(withHeader(call, 'x-added', 'yes'))
  const twice: Middleware = (next) => async (call) => {
    await (await next(call)).text()
    return next(call)
  }
  const fetch = withMiddleware(globalThis.fetch, addHeader)
  const fetchTwice = withMiddleware(globalThis.fetch, addHeader, twice)
  const form = new FormData()
  form.set('name', 'value')
  const stream = () => new Blob(['streamed']).stream()

  expect(await (await fetchTwice(url, { method: 'POST', body: 'text' })).text()).toBe('yes text')
  expect(await (await fetchTwice(url, { method: 'POST', body: form })).text()).toContain(
    'name="name"\r\n\r\nvalue',
  )
  expect(
    await (await fetchTwice(url, { method: 'POST', body: stream as unknown as BodyInit })).text(),
  ).toBe('yes streamed')
  expect(await (await fetch(url, { method: 'POST', body: stream() })).text()).toBe('yes streamed')
  expect(await (await fetchTwice(new Request(url, { method: 'POST', body: 'asked' }))).text()).toBe(
    'yes asked',
  )
  server.close()
})
