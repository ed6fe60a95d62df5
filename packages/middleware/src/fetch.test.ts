import { expect, test } from 'vitest'
import type { Call } from './call.js'
import { fetchSend } from './fetch.js'

function createRecorder() {
  const seen: { url: unknown; init: RequestInit & { duplex?: string } }[] = []
  const fetch = (async (url: unknown, init: RequestInit) => {
    seen.push({ url, init })
    return new Response()
  }) as typeof globalThis.fetch
  return { seen, fetch }
}

const base: Call = {
  url: 'http://a.test/x',
  method: 'POST',
  headers: new Headers({ 'x-one': '1' }),
}

test('fetch gets the caller’s own signal on every send', async () => {
  const { seen, fetch } = createRecorder()
  const { signal } = new AbortController()
  const send = fetchSend(fetch)
  await send({ ...base, signal })
  await send({ ...base, signal })
  expect(seen.map(({ init }) => init.signal === signal)).toEqual([true, true])
})

test('a body factory is called once for each send', async () => {
  const { seen, fetch } = createRecorder()
  let bodies = 0
  const send = fetchSend(fetch)
  const call = { ...base, body: () => `body ${++bodies}` }
  await send(call)
  await send(call)
  expect(seen.map(({ init }) => init.body)).toEqual(['body 1', 'body 2'])
})

test('a body factory that throws rejects', async () => {
  const { fetch } = createRecorder()
  const body = () => {
    throw new Error('no file')
  }
  await expect(fetchSend(fetch)({ ...base, body })).rejects.toThrow('no file')
})

test('streams are sent half duplex, strings are not', async () => {
  const { seen, fetch } = createRecorder()
  await fetchSend(fetch)({ ...base, body: new ReadableStream() })
  await fetchSend(fetch)({ ...base, body: () => new ReadableStream() })
  await fetchSend(fetch)({ ...base, body: 'text' })
  expect(seen.map(({ init }) => init.duplex)).toEqual(['half', 'half', undefined])
})

test('fetch gets the headers object of the call', async () => {
  const { seen, fetch } = createRecorder()
  await fetchSend(fetch)(base)
  expect(seen[0]?.init.headers).toBe(base.headers)
})

test('other fields of init are passed on, and absent ones stay absent', async () => {
  const { seen, fetch } = createRecorder()
  await fetchSend(fetch)({ ...base, init: { redirect: 'manual', cache: 'no-store' } })
  expect(Object.keys(seen[0]?.init ?? {}).toSorted()).toEqual([
    'cache',
    'headers',
    'method',
    'redirect',
  ])
  expect(seen[0]?.init.redirect).toBe('manual')
})
