import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { memoryPaymentStore } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { deepTest } from '@farebox/testing/rounds'
import { afterEach, describe, expect, it } from 'vitest'
import { startFaultServer, type Fault, type FaultServer } from '@farebox/testing/fault-server'
import { createFarebox } from './farebox.js'
import { FareboxError } from './error.js'
import type { FareboxEvent } from './options.js'

let server: FaultServer | undefined
afterEach(async () => server?.close())

/** The requests of one createSpeech, and its result. */
async function speak(script: readonly Fault[]) {
  server = await startFaultServer(script)
  const events: FareboxEvent[] = []
  const farebox = createFarebox({
    baseUrl: `${server.origin}/api/v1`,
    apiKey: 'planted-secret',
    retry: { random: () => 0 },
    onEvent: (event) => events.push(event),
  })
  const end = await farebox.createSpeech({ input: 'Hello' }).catch((error: unknown) => error)
  if (end instanceof Response) await end.body?.cancel()
  return { server, end, events }
}

/** One fault of each kind, and the error responses with a special body. */
const faults: readonly Fault[] = [
  { kind: 'reset' },
  { kind: 'reset-after-headers' },
  { kind: 'reset-mid-body' },
  { kind: 'truncated' },
  { kind: 'slow-headers', ms: Infinity },
  { kind: 'slow-body', ms: 20 },
  { kind: 'html' },
  { kind: 'empty' },
  { kind: 'huge-headers' },
  { kind: 'malformed-headers' },
  { kind: 'redirect', to: 'http://127.0.0.1:1/' },
  ...[400, 401, 402, 403, 409, 429, 500, 503].map((status): Fault => ({
    kind: 'response',
    status,
    body: '{"error":"no"}',
  })),
]

/** Each attempt waits for a fault that never ends. */
const chooseTimeout = ({ kind }: Fault) =>
  kind === 'slow-headers' || kind === 'slow-body' ? 500 : 2000

const speech: Fault = { kind: 'response', headers: { 'content-type': 'audio/mpeg' }, body: 'mp3' }

describe('an SDK against a faulty service', () => {
  it('retries transient failures with one Idempotency-Key', async () => {
    const { server, end } = await speak([
      { kind: 'response', status: 503 },
      { kind: 'response', status: 429, headers: { 'retry-after-ms': '1' } },
      speech,
    ])
    expect(end).toBeInstanceOf(Response)
    const keys = server.heard.map(({ headers }) => headers['idempotency-key'])
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
  })

  it('does not retry a lost response, and emits the failure and the give-up', async () => {
    const { server, end, events } = await speak([{ kind: 'reset' }])
    expect(end).toMatchObject({ code: 'lost_response', mayHaveArrived: true, attempts: 1 })
    expect(server.heard).toHaveLength(1)
    expect(events.map(({ type }) => type)).toEqual(['send', 'failure', 'give-up'])
  })

  it('does not follow a redirect to another origin with its key', async () => {
    const elsewhere = await startFaultServer([speech])
    const { end } = await speak([{ kind: 'redirect', to: `${elsewhere.origin}/` }])
    expect(end).toMatchObject({ code: 'redirect_refused' })
    expect(elsewhere.heard).toHaveLength(0)
    await elsewhere.close()
  })

  it('leaves no listener on a signal that many calls share, and causes no warning in Node', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error) => void warnings.push(warning)
    process.on('warning', warn)
    server = await startFaultServer([{ kind: 'response', body: '{"quote":0.5}' }])
    const farebox = createFarebox({ baseUrl: `${server.origin}/api/v1`, apiKey: 'planted-secret' })
    const { signal } = new AbortController()
    const quote = () => farebox.quoteVideo({ model: 'local-test-clip', duration: '5s' }, { signal })
    const quotes = await Promise.all(Array.from({ length: 60 }, quote))
    await new Promise((resolve) => void setImmediate(resolve))
    process.off('warning', warn)
    expect(quotes).toHaveLength(60)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(warnings).toEqual([])
  })

  it('ends a stream that stalls, after idleTimeoutMs', async () => {
    const silent = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(3)),
    })
    const fetch = async () => new Response(silent, { headers: { 'content-type': 'audio/mpeg' } })
    const farebox = createFarebox({
      baseUrl: 'http://127.0.0.1:4020/api/v1',
      apiKey: 'planted-secret',
      fetch,
      idleTimeoutMs: 20,
    })
    const speech = await farebox.createSpeech({ input: 'Hello', streaming: true })
    await expect(speech.arrayBuffer()).rejects.toMatchObject({
      code: 'timeout',
      operation: 'createSpeech',
      mayHaveArrived: true,
      cause: { timeoutMs: 20 },
    })
  })

  it.each(faults)(
    'leaves no open connection, and no error or event shows the key: $kind',
    async (fault) => {
      server = await startFaultServer([fault])
      const events: FareboxEvent[] = []
      const farebox = createFarebox({
        baseUrl: `${server.origin}/api/v1`,
        apiKey: 'planted-secret',
        timeoutMs: chooseTimeout(fault),
        retry: { random: () => 0, maxWaitMs: 100 },
        onEvent: (event) => events.push(event),
      })
      const video = { model: 'local-test-clip', duration: '5s' } as const
      const headers = { 'x-own': 'planted-secret' }
      const ends = await Promise.all([
        farebox.quoteVideo(video, { headers }).catch((error: unknown) => error),
        farebox
          .queueVideo({ ...video, prompt: 'a boat' }, { idempotencyKey: 'planted-secret' })
          .catch((error: unknown) => error),
        farebox.getModel({ id: 'tts-kokoro' }).catch((error: unknown) => error),
      ])
      expect(
        ends.filter((end) => end instanceof FareboxError && end.operation !== undefined),
      ).toHaveLength(3)
      const shown = [
        inspect([ends, events], { depth: 12, showHidden: true }),
        JSON.stringify([ends, events]),
        ends.join(),
        joinStacks(ends),
      ].join()
      expect(shown).not.toContain('planted-secret')
      await expect.poll(() => server?.busy()).toBe(0)
    },
  )

  it.each(faults)(
    'no error or event shows a key or a signature of a wallet: $kind',
    async (fault) => {
      server = await startFaultServer([fault])
      const key = generatePrivateKey()
      const events: FareboxEvent[] = []
      const farebox = createFarebox({
        baseUrl: `${server.origin}/api/v1`,
        wallet: privateKeySigner(key),
        payments: { topUp: { amountUsd: 5, maxUsdPerDay: 5 }, store: memoryPaymentStore() },
        timeoutMs: chooseTimeout(fault),
        retry: { random: () => 0, maxWaitMs: 100 },
        onEvent: (event) => events.push(event),
      })
      const ends = await Promise.all([
        farebox.balance().catch((error: unknown) => error),
        farebox.parseText({ file: new Blob(['Fares']) }).catch((error: unknown) => error),
      ])
      expect(ends.filter((end) => end instanceof FareboxError)).toHaveLength(2)
      const signatures = server.heard.flatMap(({ headers }) => headers['sign-in-with-x'] ?? [])
      expect(signatures.length).toBeGreaterThan(1)
      const shown = [
        inspect([ends, events], { depth: 12, showHidden: true }),
        JSON.stringify([ends, events]),
        joinStacks(ends),
      ].join()
      // no part of the long header may show
      const secrets = [key.slice(2), ...signatures.map((signature) => signature.slice(40, 100))]
      expect(secrets.filter((secret) => shown.includes(secret))).toEqual([])
    },
  )

  deepTest('retains no response and no signal of completed calls', async () => {
    const responses: WeakRef<object>[] = []
    let count = 0
    const fetch = async () => {
      const response = Response.json({ quote: 0.5 }, { status: count++ % 3 === 0 ? 503 : 200 })
      responses.push(new WeakRef(response))
      return response
    }
    const farebox = createFarebox({
      baseUrl: 'http://127.0.0.1:4020/api/v1',
      apiKey: 'KEY',
      fetch,
      retry: { random: () => 0 },
      failureBudget: false,
    })
    for (let call = 0; call < 300; call++) {
      const { signal } = new AbortController()
      responses.push(new WeakRef(signal))
      await farebox.quoteVideo({ model: 'local-test-clip', duration: '5s' }, { signal })
    }
    await new Promise((resolve) => void setImmediate(resolve))
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    collect()
    await new Promise((resolve) => void setImmediate(resolve))
    collect()
    expect(responses.length).toBeGreaterThan(700)
    // a register may still hold the last ones
    expect(responses.filter((response) => response.deref() !== undefined).length).toBeLessThan(10)
  })
})

function joinStacks(errors: readonly unknown[]): string {
  return errors
    .map((error) => (error instanceof Error ? `${error.stack} ${joinStacks([error.cause])}` : ''))
    .join()
}
