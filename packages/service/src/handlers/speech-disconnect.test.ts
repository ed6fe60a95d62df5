import { EventEmitter, once } from 'node:events'
import {
  createServer as createHttpServer,
  request as sendRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import * as local from '@farebox/local-backends'
import { deepTest, countRounds, sampleCases } from '@farebox/testing/rounds'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminKey, origin, startService, type Harness } from '../../test/harness.js'
import { createRecordedThread } from '../../test/recorded-speech.js'
import { createLocalSpeech } from '../domain/local/local-backends.js'
import type { SpeechBackend } from '../domain/speech/speech-backend.js'
import { createUpstreamSpeech } from '../domain/speech/upstream-speech.js'
import { createServer } from '../platform/server/create-server.js'

const formats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
const text = 'One. Two. Three. Four. Five.'
/** 28 characters at 3.5 USD a million. */
const price = 98n
const computePrice = (characters: number) => BigInt(Math.ceil(characters * 3.5))
const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }

const createRequest = (body: object, init: RequestInit = {}) =>
  new Request(`${origin}/api/v1/audio/speech`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ input: text, streaming: true, ...body }),
    ...init,
  })

/** What the account has paid, once all that backends were asked for has ended. */
async function readPaid({ ledger, metrics, database }: Harness, calls: number): Promise<bigint> {
  const ended = /^farebox_backend_calls_total\{backend="speech",outcome="\w+"\} (\d+)$/gm
  for (;;) {
    const count = [...(await metrics()).matchAll(ended)].reduce(
      (sum, [, each]) => sum + Number(each),
      0,
    )
    if (
      count >= calls &&
      (await database.query(`select 1 from hold where state = 'held'`)).length === 0
    )
      break
    await new Promise((resolve) => setImmediate(resolve))
  }
  return 100_000_000n - (await ledger.balance('key:admin'))
}

async function readCrashes({ metrics }: Harness): Promise<string | undefined> {
  return /^farebox_crashes_total (\d+)$/m.exec(await metrics())?.[1]
}

/** Leaves in the middle of the next part. */
const leaving = {
  'ends its connection': async (reader: Reader, caller: AbortController) => {
    const next = reader.read()
    caller.abort()
    await next.catch(() => undefined)
  },
  'cancels the body': async (reader: Reader) => {
    const next = reader.read()
    await reader.cancel()
    await next
  },
  'does both': async (reader: Reader, caller: AbortController) => {
    const next = reader.read()
    caller.abort()
    await reader.cancel().catch(() => undefined)
    await next.catch(() => undefined)
  },
}
type Reader = ReadableStreamDefaultReader<Uint8Array>

/** In ten parts, the next when the one before it is on its way. */
const sendTenParts = (response: ServerResponse) => {
  const part = (left: number) =>
    left === 0
      ? void response.end()
      : void response.write(new Uint8Array(1_000), () => setImmediate(part, left - 1))
  response.writeHead(200, { 'content-type': 'audio/mpeg' })
  part(10)
}

let upstream: Server
let answer: (response: ServerResponse, request: IncomingMessage) => void
beforeAll(async () => {
  upstream = createHttpServer((request, response) => answer(response, request)).listen(
    0,
    '127.0.0.1',
  )
  await once(upstream, 'listening')
})
beforeEach(() => void (answer = sendTenParts))
afterAll(() => {
  upstream.closeAllConnections()
  upstream.close()
})

const recorded = createRecordedThread()
const backends = {
  embedded: () => createLocalSpeech(async () => local.createLocalSpeech({ thread: recorded })),
  upstream: () =>
    createUpstreamSpeech({ url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` }),
}

/** What one call of a backend has made, and how many bytes that were. */
type Call = { made: number; bytes: number }

/** Notes what a backend makes. */
function recordCalls(speech: SpeechBackend, calls: Call[]): SpeechBackend {
  return {
    ...speech,
    async *speak(request, signal) {
      const call: Call = { made: 0, bytes: 0 }
      calls.push(call)
      for await (const part of speech.speak(request, signal)) {
        call.made = part.made
        call.bytes += part.bytes.length
        yield part
      }
    },
  }
}

describe.each(Object.entries(backends))(
  'a client that disconnects from speech of the %s backend pays for what was made',
  (name, create) => {
    let farebox: Harness
    const calls: Call[] = []
    beforeAll(
      async () => void (farebox = await startService({ speech: recordCalls(create(), calls) })),
    )
    beforeEach(() => void (farebox.clock.time += 61_000))
    afterAll(() => farebox.service.close())

    /** Reads some chunks. `bytes` of all that came. */
    const read = async (body: object, chunks: number, caller = new AbortController()) => {
      const reader = (
        await farebox.service.fetch(createRequest(body, { signal: caller.signal }))
      ).body?.getReader() as Reader
      let bytes = 0
      let count = 0
      for (; count < chunks; count++) {
        const { value, done } = await reader.read()
        if (done) break
        bytes += value.length
      }
      return { reader, bytes, count }
    }

    const ways = formats.flatMap((format) => [
      [format, true],
      [format, false],
    ]) as [(typeof formats)[number], boolean][]
    it.each(sampleCases(ways))(
      'after every chunk of %s, streaming: %s',
      async (response_format, streaming) => {
        const body = { response_format, streaming }
        const { count: chunks } = await read(body, Infinity)
        const leave = Object.values(leaving)
        for (let chunk = 0; chunk < chunks; chunk++) {
          const before = await readPaid(farebox, calls.length)
          const caller = new AbortController()
          const { reader, bytes } = await read(body, chunk, caller)
          await leave[chunk % leave.length]?.(reader, caller)
          const cost = (await readPaid(farebox, calls.length)) - before
          const { made, bytes: madeBytes } = calls.at(-1) ?? { made: 0, bytes: 0 }
          expect(cost).toBe(computePrice(made))
          expect(cost).toBeGreaterThan(0n)
          expect(bytes).toBeLessThanOrEqual(madeBytes)
          // an upstream bills the whole text, the synthesizer makes no more than what was asked for
          if (name === 'upstream') expect(cost).toBe(price)
          else if (streaming && chunk + 2 < chunks) expect(cost).toBeLessThan(price)
        }
        const { entries } = await farebox.ledger.entries('key:admin', { limit: chunks, offset: 0 })
        expect(new Set(entries.map(({ type }) => type))).toEqual(new Set(['CHARGE']))
        expect([farebox.crashes, await farebox.ledger.audit()]).toEqual([[], []])
      },
    )
  },
)

describe('a client that closes its socket', () => {
  let farebox: Harness
  let server: Server
  const calls: Call[] = []
  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    calls.length = 0
    await farebox.service.close()
  })
  const start = async (speech: SpeechBackend) => {
    farebox = await startService({ speech: recordCalls(speech, calls) })
    server = createServer(farebox.service.fetch).listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  /** Bytes of a response, which is left when `isEnough` says so, or at once. */
  const leave = async (body: object, isEnough: (bytes: number) => boolean) => {
    const { port } = server.address() as AddressInfo
    const sent = sendRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/v1/audio/speech',
      headers,
    }).end(JSON.stringify({ input: text, ...body }))
    sent.on('error', () => undefined)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    let length = 0
    for await (const bytes of response) if (isEnough((length += (bytes as Buffer).length))) break
    sent.destroy()
    return length
  }

  it.each(Object.entries(backends))(
    'pays for the %s backend at every tenth',
    async (name, create) => {
      await start(create())
      const body = { response_format: 'pcm', streaming: true }
      const size = await leave(body, () => false)
      const tenths = sampleCases([1, 2, 3, 4, 5, 6, 7, 8, 9])
      for (const tenth of tenths) {
        const bytes = await leave(body, (length) => length >= (size * tenth) / 10)
        await readPaid(farebox, calls.length)
        expect(bytes).toBeLessThanOrEqual(calls.at(-1)?.bytes ?? 0)
      }
      const owed = calls.reduce((sum, { made }) => sum + computePrice(made), 0n)
      expect(await readPaid(farebox, calls.length)).toBe(owed)
      if (name === 'upstream') expect(owed).toBe(BigInt(tenths.length + 1) * price)
      expect(await farebox.ledger.audit()).toEqual([])
    },
  )

  deepTest(
    'before the first byte has neither failed nor made the service crash, however often',
    async () => {
      const asked = new EventEmitter()
      const embedded = backends.embedded()
      await start({
        ...embedded,
        speak: (request, signal) => {
          asked.emit('speak')
          return embedded.speak(request, signal)
        },
      })
      const { port } = server.address() as AddressInfo
      const attempts = countRounds(25)
      for (let call = 1; call <= attempts; call++) {
        const speaks = once(asked, 'speak')
        const sent = sendRequest({
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/api/v1/audio/speech',
          headers,
        })
        sent
          .on('error', () => undefined)
          .end(JSON.stringify({ input: 'A sentence, which is never heard. '.repeat(3) }))
        await speaks
        sent.destroy()
      }
      await readPaid(farebox, attempts)
      expect([farebox.crashes, await readCrashes(farebox)]).toEqual([[], '0'])
      expect(
        (
          await farebox.call('createSpeech', '/audio/speech', {
            method: 'POST',
            headers,
            body: '{"input":"Hello"}',
          })
        ).status,
      ).toBe(200)
    },
  )
})

describe('a closed connection has one outcome, whatever the backend does', () => {
  let farebox: Harness
  afterEach(() => farebox.service.close())
  const scripted = async (speak: SpeechBackend['speak']) => {
    farebox = await startService({
      speech: { describe: () => 'test', speak, close: async () => undefined },
    })
  }
  const aborted = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  const part = { bytes: new Uint8Array(10), made: 10 }
  const empty = { bytes: new Uint8Array(0), made: 5 }

  it.each([
    ['nothing was made', [], 0n],
    ['a part of it was made', [empty], computePrice(5)],
  ])('before the first byte, when %s', async (_when, parts, owed) => {
    let leave = () => undefined as void
    await scripted(async function* (_request, signal) {
      yield* parts
      const ended = aborted(signal)
      leave()
      await ended
      throw new Error('socket hang up')
    })
    for (let call = 0; call < 25; call++) {
      const caller = new AbortController()
      leave = () => caller.abort()
      const response = await farebox.service.fetch(createRequest({}, { signal: caller.signal }))
      expect(await response.json()).toMatchObject({ code: 'CLIENT_GONE' })
    }
    expect(await readPaid(farebox, 25)).toBe(25n * owed)
    expect([farebox.crashes, await readCrashes(farebox)]).toEqual([[], '0'])
  })

  it('in the middle of speech, even for a chunk that comes too late', async () => {
    let goOn = () => undefined as void
    let isWaiting = () => undefined as void
    const waiting = new Promise<void>((resolve) => (isWaiting = resolve))
    await scripted(async function* () {
      yield part
      isWaiting()
      await new Promise<void>((resolve) => (goOn = resolve))
      yield part
      throw new Error('late')
    })
    const reader = (await farebox.service.fetch(createRequest({}))).body?.getReader() as Reader
    await reader.read()
    const next = reader.read()
    await waiting
    const left = reader.cancel()
    goOn()
    await Promise.all([left, next])
    expect(await readPaid(farebox, 1)).toBe(computePrice(10))
    expect(farebox.crashes).toEqual([])
  })

  it('releases the resources of the work, even when the body is never read', async () => {
    let isFree = false
    await scripted(async function* () {
      try {
        yield part
        yield part
      } finally {
        isFree = true
      }
    })
    const caller = new AbortController()
    await farebox.service.fetch(createRequest({}, { signal: caller.signal }))
    expect(isFree).toBe(false)
    caller.abort()
    await readPaid(farebox, 1)
    expect(isFree).toBe(true)
  })

  it('is distinguished from a service failure, which is logged for the operator and not charged', async () => {
    const fault = new Error('broken')
    await scripted(async function* () {
      yield part
      throw fault
    })
    await expect((await farebox.service.fetch(createRequest({}))).arrayBuffer()).rejects.toThrow()
    expect(await readPaid(farebox, 1)).toBe(0n)
    expect([farebox.crashes, await readCrashes(farebox)]).toEqual([[fault], '1'])
  })
})
