import { fetchSend } from '@farebox/middleware'
import { describe, expect, it } from 'vitest'
import { download } from './download.js'

const bytes = Uint8Array.from({ length: 100 }, (_, index) => index)
const url = 'https://files.example.test/a.mp4?signature=s'

/** A body that breaks off after `count` bytes. */
function createBrokenBody(from: number, count: number): ReadableStream<Uint8Array> {
  let sent = false
  return new ReadableStream({
    pull: (controller) => {
      if (sent) return controller.error(new TypeError('terminated'))
      sent = true
      if (count > 0) controller.enqueue(bytes.slice(from, from + count))
      else controller.error(new TypeError('terminated'))
    },
  })
}
const createFullResponse = (count = 100) =>
  new Response(createBrokenBody(0, count), { headers: { 'content-length': '100', etag: '"v1"' } })
const createPartialResponse = (from: number, count: number, start = from) =>
  new Response(count === 100 - from ? bytes.slice(from) : createBrokenBody(from, count), {
    status: 206,
    headers: { 'content-range': `bytes ${start}-99/100` },
  })

function createScriptedFetch(...answers: (Response | Error)[]) {
  const sent: {
    readonly credentials: string | undefined
    readonly headers: Record<string, string>
  }[] = []
  const waits: number[] = []
  const fetch = async (_url: unknown, init: RequestInit = {}) => {
    sent.push({
      credentials: init.credentials,
      headers: Object.fromEntries(new Headers(init.headers)),
    })
    const response = answers.shift()
    if (!(response instanceof Response)) throw response ?? new Error('nothing more was expected')
    return response
  }
  return {
    sent,
    waits,
    options: {
      url,
      send: fetchSend(fetch),
      redirect: 'manual' as const,
      wait: async (ms: number) => void waits.push(ms),
    },
  }
}

describe('download', () => {
  it('resumes as long as new bytes arrive, without credentials', async () => {
    const { options, sent, waits } = createScriptedFetch(
      createFullResponse(30),
      createPartialResponse(30, 20),
      createPartialResponse(50, 40),
      createPartialResponse(90, 10),
    )
    const seen: number[] = []
    const response = await download({ ...options, onBytes: (received) => seen.push(received) })
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
    expect(sent.map(({ headers }) => headers)).toEqual([
      {},
      { range: 'bytes=30-', 'if-range': '"v1"' },
      { range: 'bytes=50-', 'if-range': '"v1"' },
      { range: 'bytes=90-', 'if-range': '"v1"' },
    ])
    expect(new Set(sent.map(({ credentials }) => credentials))).toEqual(new Set(['omit']))
    expect(seen).toEqual([30, 50, 90, 100])
    expect(waits).toEqual([500, 500, 500])
  })

  it('resumes after a body that ends early without an error', async () => {
    const { options } = createScriptedFetch(
      new Response(bytes.slice(0, 60), { headers: { 'content-length': '100' } }),
      createPartialResponse(60, 40),
    )
    expect(new Uint8Array(await (await download(options)).arrayBuffer())).toEqual(bytes)
  })

  it('gives up after three attempts without a new byte', async () => {
    const { options, sent, waits } = createScriptedFetch(
      createFullResponse(30),
      new TypeError('fetch failed'),
      createPartialResponse(30, 0),
      new TypeError('fetch failed'),
    )
    await expect((await download(options)).arrayBuffer()).rejects.toThrow('terminated')
    expect([sent.length, waits]).toEqual([4, [500, 1_000, 2_000]])
  })

  it.each([
    ['has changed', new Response(bytes, { headers: { 'content-length': '100' } })],
    ['is sent from another place', createPartialResponse(30, 70, 31)],
    ['is gone', new Response('gone', { status: 410 })],
  ])('ends with the error when the file %s', async (_name, response) => {
    const { options } = createScriptedFetch(createFullResponse(30), response)
    await expect((await download(options)).arrayBuffer()).rejects.toThrow('terminated')
  })

  it('does not resume after an abort', async () => {
    const caller = new AbortController()
    const { options, sent } = createScriptedFetch(createFullResponse(30))
    const response = await download({ ...options, signal: caller.signal })
    caller.abort()
    await expect(response.arrayBuffer()).rejects.toThrow('terminated')
    expect(sent).toHaveLength(1)
  })

  it('returns an error response', async () => {
    const { options } = createScriptedFetch(new Response('gone', { status: 410 }))
    expect((await download(options)).status).toBe(410)
  })
})
