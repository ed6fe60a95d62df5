import { getEventListeners } from 'node:events'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { deepTest } from '@farebox/testing/rounds'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startFaultServer, type Fault } from '@farebox/testing/fault-server'
import { stopClock } from '../test/stop-clock.js'
import { createFarebox } from './farebox.js'
import type { FareboxError } from './error.js'
import type { FareboxOptions } from './options.js'

const start = Date.UTC(2026, 5, 30, 12)
const queuedVideo = { model: 'local-test-clip', queue_id: 'q1' }
const downloadUrl = 'https://files.example.test/v.mp4?signature=s'

const createProcessingBody = () => ({
  status: 'PROCESSING',
  average_execution_time: 10,
  execution_duration: 4,
})
const createJsonResponse = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Response.json(body, { headers })
const createMp4Response = (body: BodyInit) =>
  new Response(body, { headers: { 'content-type': 'video/mp4' } })

/** A service on fake timers, and the times of its requests. */
function createScripted(
  respond: (index: number, init: RequestInit) => Response | Promise<Response>,
  options: FareboxOptions = {},
) {
  const sent: { readonly url: string; readonly at: number }[] = []
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    sent.push({
      url: input instanceof Request ? input.url : input.toString(),
      at: Date.now() - start,
    })
    return respond(sent.length - 1, init)
  }
  const farebox = createFarebox({
    baseUrl: 'https://api.example.test/api/v1',
    apiKey: 'key-1',
    fetch,
    downloadOrigins: [new URL(downloadUrl).origin],
    ...options,
  })
  return { farebox, sent }
}

/** The result, and the milliseconds until it. */
async function settle(work: Promise<Response>, ms: number) {
  const begun = Date.now()
  const ended = work
    .then(async (video) => video.text())
    .then(
      (text) => ({ text, ms: Date.now() - begun }),
      (error: FareboxError) => ({ error, ms: Date.now() - begun }),
    )
  await vi.advanceTimersByTimeAsync(ms)
  return ended
}

describe('polling, with fake timers', () => {
  // the default clock does not restart with the test
  const faked = { now: () => Date.now() }
  beforeEach(() => stopClock({ now: start }))
  afterEach(() => void vi.useRealTimers())

  deepTest(
    'sends at most 120 polls a minute for any number of videos, and ends each at the deadline',
    async () => {
      const { farebox, sent } = createScripted(() => createJsonResponse(createProcessingBody()), {
        rateLimit: { maxWaitMs: 600_000 },
      })
      const videos = Array.from({ length: 40 }, (_, index) =>
        settle(
          farebox.generateVideo(
            { ...queuedVideo, queue_id: `q${index}` },
            { pollMs: 1000, deadlineMs: 180_000 },
          ),
          0,
        ),
      )
      await vi.advanceTimersByTimeAsync(200_000)
      const ends = await Promise.all(videos)
      expect(new Set(ends.map((end) => ('error' in end ? end.error.code : end.text)))).toEqual(
        new Set(['deadline']),
      )
      expect(Math.max(...ends.map(({ ms }) => ms))).toBeLessThanOrEqual(180_000)
      expect(new Set(sent.map(({ url }) => url))).toEqual(
        new Set(['https://api.example.test/api/v1/video/retrieve']),
      )
      for (const { at } of sent)
        expect(
          sent.filter((one) => one.at >= at && one.at < at + 60_000).length,
        ).toBeLessThanOrEqual(120)
      expect(sent.length).toBeGreaterThan(300)
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  it('waits as long as the service announces', async () => {
    const spent = {
      date: new Date(start).toUTCString(),
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': String(start / 1000 + 20),
    }
    const { farebox, sent } = createScripted(
      (index) =>
        index === 0 ? createJsonResponse(createProcessingBody(), spent) : createMp4Response('clip'),
      { rateLimit: faked },
    )
    expect(await settle(farebox.generateVideo(queuedVideo), 60_000)).toMatchObject({ text: 'clip' })
    expect(sent.map(({ at }) => at)).toEqual([
      0,
      expect.toSatisfy((at: number) => at >= 20_000 && at < 22_000),
    ])
  })

  const never = (_index: number, { signal }: RequestInit) =>
    new Promise<Response>((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason as Error)),
    )
  const far = {
    date: new Date(start).toUTCString(),
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': String(start / 1000 + 60),
  }
  it.each([
    ['the service does not respond', never, 10_000, 1],
    ['its question is held back', () => createJsonResponse(createProcessingBody(), far), 10_000, 1],
    [
      'the next question would be later',
      () => createJsonResponse(createProcessingBody()),
      5_000,
      2,
    ],
  ])(
    'ends at the deadline when %s, and leaves nothing behind',
    async (_what, respond, ms, sends) => {
      const { farebox, sent } = createScripted(respond, { rateLimit: faked })
      const { signal } = new AbortController()
      const end = await settle(
        farebox.generateVideo(queuedVideo, { signal, deadlineMs: 10_000 }),
        30_000,
      )
      expect(end).toMatchObject({ ms, error: { code: 'deadline', operation: 'retrieveVideo' } })
      expect(String('error' in end && end.error.message)).toContain(
        "generateVideo({ model: 'local-test-clip', queue_id: 'q1' })",
      )
      expect(sent).toHaveLength(sends)
      expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0])
    },
  )

  it('completes a file in progress beyond the deadline, and leaves no timer or listener', async () => {
    const slow = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const ms of [4000, 8000, 12_000])
          setTimeout(() => controller.enqueue(new TextEncoder().encode('clip')), ms)
        setTimeout(() => controller.close(), 12_001)
      },
    })
    const { farebox } = createScripted(() => createMp4Response(slow))
    const { signal } = new AbortController()
    const end = await settle(
      farebox.generateVideo(queuedVideo, { signal, deadlineMs: 6000 }),
      30_000,
    )
    expect(end).toMatchObject({ text: 'clipclipclip' })
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0])
  })

  it('ends a wait at an abort with a FareboxError, and leaves no timer or listener', async () => {
    const { farebox, sent } = createScripted(() => createJsonResponse(createProcessingBody()))
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 2000)
    expect(
      await settle(farebox.generateVideo(queuedVideo, { signal: controller.signal }), 30_000),
    ).toMatchObject({
      ms: 2000,
      error: { name: 'FareboxError', code: 'aborted' },
    })
    expect(sent).toHaveLength(1)
    expect([vi.getTimerCount(), getEventListeners(controller.signal, 'abort').length]).toEqual([
      0, 0,
    ])
  })

  it('requests the rest of a download that stalls', async () => {
    const silent = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('half')),
    })
    const script = [
      createJsonResponse({ ...createProcessingBody(), status: 'COMPLETED' }),
      new Response(silent, { headers: { 'content-length': '8', 'content-type': 'video/mp4' } }),
      new Response('rest', {
        status: 206,
        headers: { 'content-range': 'bytes 4-7/8', 'content-type': 'video/mp4' },
      }),
    ]
    const { farebox, sent } = createScripted(
      (index) => script[index] ?? expect.fail('nothing more was expected'),
      { idleTimeoutMs: 3000 },
    )
    expect(
      await settle(farebox.generateVideo({ ...queuedVideo, download_url: downloadUrl }), 30_000),
    ).toMatchObject({ text: 'halfrest' })
    expect(sent.map(({ at }) => at)).toEqual([0, 0, 3500])
  })

  it('throws a FareboxError if a download does not start after retries', async () => {
    const { farebox, sent } = createScripted((index) => {
      if (index === 0) return createJsonResponse({ ...createProcessingBody(), status: 'COMPLETED' })
      throw new TypeError('fetch failed')
    })
    expect(
      await settle(farebox.generateVideo({ ...queuedVideo, download_url: downloadUrl }), 60_000),
    ).toMatchObject({
      error: {
        name: 'FareboxError',
        code: 'lost_response',
        operation: 'retrieveVideo',
        attempts: 3,
      },
    })
    expect(sent).toHaveLength(4)
  })
})

describe('a download from another origin', () => {
  const wallet = privateKeySigner(generatePrivateKey())
  it.each<[string, FareboxOptions]>([
    ['an API key', { apiKey: 'planted-secret' }],
    ['a wallet', { wallet }],
  ])(
    'resumes where it broke off, even after a 503, and never receives a credential: with %s',
    async (_name, access) => {
      const head = ['content-type: video/mp4', 'connection: close', 'etag: "v1"']
      const raw = (...lines: readonly string[]): Fault => ({
        kind: 'raw',
        text: lines.join('\r\n'),
      })
      const files = await startFaultServer([
        { kind: 'response', status: 503 },
        raw('HTTP/1.1 200 OK', ...head, 'content-length: 10', '', 'abcd'),
        raw(
          'HTTP/1.1 206 Partial Content',
          ...head,
          'content-range: bytes 4-9/10',
          'content-length: 6',
          '',
          'ef',
        ),
        raw(
          'HTTP/1.1 206 Partial Content',
          ...head,
          'content-range: bytes 6-9/10',
          'content-length: 4',
          '',
          'ghij',
        ),
      ])
      const service = await startFaultServer([
        {
          kind: 'response',
          body: JSON.stringify({ ...createProcessingBody(), status: 'COMPLETED' }),
        },
      ])
      const farebox = createFarebox({
        baseUrl: `${service.origin}/api/v1`,
        retry: { random: () => 0 },
        downloadOrigins: [files.origin],
        ...access,
      })
      const video = await farebox.generateVideo({
        ...queuedVideo,
        download_url: `${files.origin}/v.mp4?signature=s`,
      })
      expect(await video.text()).toBe('abcdefghij')
      expect(service.heard.map(({ path }) => path)).toEqual(['/api/v1/video/retrieve'])
      expect(
        files.heard.map(({ method, headers }) => [method, headers['range'], headers['if-range']]),
      ).toEqual([
        ['GET', undefined, undefined],
        ['GET', undefined, undefined],
        ['GET', 'bytes=4-', '"v1"'],
        ['GET', 'bytes=6-', '"v1"'],
      ])
      const names = files.heard.flatMap(({ headers }) => Object.keys(headers))
      expect(
        names.filter((name) =>
          /authorization|sign-in-with-x|payment|cookie|idempotency/.test(name),
        ),
      ).toEqual([])
      expect(JSON.stringify(files.heard)).not.toContain('planted-secret')
      await Promise.all([files.close(), service.close()])
    },
  )
})
