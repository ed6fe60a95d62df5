import { EventEmitter, once } from 'node:events'
import { createServer as createHttpServer, request as sendRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminKey, origin, startService, type Harness } from '../../test/harness.js'
import { createServer } from '../platform/server/create-server.js'
import { createEmbeddedSpeech } from '../domain/speech/embedded-speech.js'
import type { SpeechBackend } from '../domain/speech/speech-backend.js'
import { createUpstreamSpeech } from '../domain/speech/upstream-speech.js'

const formats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
const tenths = [1, 2, 3, 4, 5, 6, 7, 8, 9]
const text = 'One. Two. Three. Four. Five.'
/** 28 characters at 3.5 USD a million. */
const price = 98n
const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }

const requestOf = (body: object, init: RequestInit = {}) =>
  new Request(`${origin}/api/v1/audio/speech`, { method: 'POST', headers, body: JSON.stringify({ input: text, ...body }), ...init })

/** What the account has paid, once all that backends were asked for has ended. */
async function paid({ ledger, metrics }: Harness, calls: number): Promise<bigint> {
  const ended = /^farebox_backend_calls_total\{backend="speech",outcome="\w+"\} (\d+)$/gm
  for (;;) {
    if ([...(await metrics()).matchAll(ended)].reduce((sum, [, count]) => sum + Number(count), 0) >= calls) break
    await new Promise((resolve) => setImmediate(resolve))
  }
  return 100_000_000n - (await ledger.balance('key:admin'))
}

async function crashesOf({ metrics }: Harness): Promise<string | undefined> {
  return /^farebox_crashes_total (\d+)$/m.exec(await metrics())?.[1]
}

/** Reads so many bytes, and leaves in the middle of the next part. */
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
const inTenParts = (response: ServerResponse) => {
  const part = (left: number) =>
    left === 0 ? void response.end() : void response.write(new Uint8Array(1_000), () => setImmediate(part, left - 1))
  response.writeHead(200, { 'content-type': 'audio/mpeg' })
  part(10)
}

let upstream: Server
let answer: (response: ServerResponse, request: IncomingMessage) => void
beforeAll(async () => {
  upstream = createHttpServer((request, response) => answer(response, request)).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
})
beforeEach(() => void (answer = inTenParts))
afterAll(() => {
  upstream.closeAllConnections()
  upstream.close()
})

const backends: Readonly<Record<string, () => SpeechBackend>> = {
  embedded: createEmbeddedSpeech,
  upstream: () => createUpstreamSpeech({ url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` }),
}

describe.each(Object.entries(backends))('a client that leaves speech of the %s backend pays for it', (_name, create) => {
  let farebox: Harness
  let calls = 0
  let owed = 0n
  beforeAll(async () => void (farebox = await startService({ speech: create() })))
  beforeEach(() => void (farebox.clock.time += 61_000))
  afterAll(() => farebox.service.close())

  const begin = async (body: object, caller = new AbortController()) => {
    calls++
    owed += price
    return (await farebox.service.fetch(requestOf(body, { signal: caller.signal }))).body?.getReader() as Reader
  }
  const read = async (reader: Reader, most: number) => {
    for (let length = 0; length < most;) {
      const { value, done } = await reader.read()
      length += value?.length ?? 0
      if (done) return length
    }
    return most
  }

  const ways = formats.flatMap((format) => [
    [format, true],
    [format, false],
  ]) as [(typeof formats)[number], boolean][]
  it.each(ways)('at every tenth of %s, streaming: %s', async (response_format, streaming) => {
    const body = { response_format, streaming }
    const size = await read(await begin(body), Infinity)
    const leave = Object.values(leaving)
    await Promise.all(
      tenths.map(async (tenth) => {
        const caller = new AbortController()
        const reader = await begin(body, caller)
        await read(reader, (size * tenth) / 10)
        await leave[tenth % leave.length]?.(reader, caller)
      }),
    )
    expect(await paid(farebox, calls)).toBe(owed)
    const { entries } = await farebox.ledger.entries('key:admin', { limit: 10, offset: 0 })
    expect(new Set(entries.map(({ type }) => type))).toEqual(new Set(['CHARGE']))
    expect(farebox.crashes).toEqual([])
  })
})

describe('a client that closes its socket', () => {
  let farebox: Harness
  let server: Server
  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    await farebox.service.close()
  })
  const start = async (speech: SpeechBackend) => {
    farebox = await startService({ speech })
    server = createServer(farebox.service.fetch).listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  /** An answer, which is left when `isEnough` says so, or at once. */
  const leave = async (body: object, isEnough: (bytes: number) => boolean) => {
    const { port } = server.address() as AddressInfo
    const sent = sendRequest({ port, host: '127.0.0.1', method: 'POST', path: '/api/v1/audio/speech', headers }).end(
      JSON.stringify({ input: text, ...body }),
    )
    sent.on('error', () => undefined)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    let length = 0
    for await (const bytes of response) if (isEnough((length += (bytes as Buffer).length))) break
    sent.destroy()
  }

  it.each(Object.entries(backends))('pays the %s backend at every tenth', async (_name, create) => {
    await start(create())
    const body = { response_format: 'pcm', streaming: true }
    let size = 0
    await leave(body, (bytes) => (size = bytes) === Infinity)
    for (const tenth of tenths) await leave(body, (bytes) => bytes >= (size * tenth) / 10)
    expect(await paid(farebox, 10)).toBe(10n * price)
    expect(await farebox.ledger.audit()).toEqual([])
  })

  it('before the first byte has neither failed nor made the service crash, however often', async () => {
    const asked = new EventEmitter()
    const embedded = createEmbeddedSpeech()
    await start({
      ...embedded,
      speak: (request, signal) => {
        asked.emit('speak')
        return embedded.speak(request, signal)
      },
    })
    const { port } = server.address() as AddressInfo
    for (let call = 1; call <= 25; call++) {
      const speaks = once(asked, 'speak')
      const sent = sendRequest({ port, host: '127.0.0.1', method: 'POST', path: '/api/v1/audio/speech', headers })
      sent.on('error', () => undefined).end(JSON.stringify({ input: 'A long sentence, which is never heard. '.repeat(100) }))
      await speaks
      sent.destroy()
    }
    await paid(farebox, 25)
    expect([farebox.crashes, await crashesOf(farebox)]).toEqual([[], '0'])
    expect((await farebox.call('createSpeech', '/audio/speech', { method: 'POST', headers, body: '{"input":"Hello"}' })).status).toBe(200)
  })
})

describe('an ended connection is one outcome, whatever a backend makes of it', () => {
  let farebox: Harness
  afterEach(() => farebox.service.close())
  const scripted = async (speak: SpeechBackend['speak']) => {
    farebox = await startService({ speech: { describe: () => 'test', speak, close: async () => undefined } })
  }
  const aborted = (signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  const bytes = new Uint8Array(10)
  const empty = new Uint8Array(0)

  it.each([
    ['nothing was made', [], 0n],
    ['a part of it was made', [empty], price],
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
      const response = await farebox.service.fetch(requestOf({}, { signal: caller.signal }))
      expect(await response.json()).toMatchObject({ code: 'CLIENT_GONE' })
    }
    expect(await paid(farebox, 25)).toBe(25n * owed)
    expect([farebox.crashes, await crashesOf(farebox)]).toEqual([[], '0'])
  })

  it('in the middle of it, also for a part that comes too late', async () => {
    let goOn = () => undefined as void
    let isWaiting = () => undefined as void
    const waiting = new Promise<void>((resolve) => (isWaiting = resolve))
    await scripted(async function* () {
      yield bytes
      isWaiting()
      await new Promise<void>((resolve) => (goOn = resolve))
      yield bytes
      throw new Error('late')
    })
    const reader = (await farebox.service.fetch(requestOf({}))).body?.getReader() as Reader
    await reader.read()
    const next = reader.read()
    await waiting
    const left = reader.cancel()
    goOn()
    await Promise.all([left, next])
    expect(await paid(farebox, 1)).toBe(price)
    expect(farebox.crashes).toEqual([])
  })

  it('frees what the work holds, also when the body is never read', async () => {
    let isFree = false
    await scripted(async function* () {
      try {
        yield bytes
        yield bytes
      } finally {
        isFree = true
      }
    })
    const caller = new AbortController()
    await farebox.service.fetch(requestOf({}, { signal: caller.signal }))
    expect(isFree).toBe(false)
    caller.abort()
    await paid(farebox, 1)
    expect(isFree).toBe(true)
  })

  it('is told apart from a fault of the service, which is given back and told to the operator', async () => {
    const fault = new Error('broken')
    await scripted(async function* () {
      yield bytes
      throw fault
    })
    await expect((await farebox.service.fetch(requestOf({}))).arrayBuffer()).rejects.toThrow()
    expect(await paid(farebox, 1)).toBe(0n)
    expect([farebox.crashes, await crashesOf(farebox)]).toEqual([[fault], '1'])
  })

  it('is not an answer that is refused after its work: that ends the work, too', async () => {
    let open = 0
    await scripted(async function* ({ text: input }) {
      open++
      try {
        yield Buffer.from(input)
        yield bytes
      } finally {
        open--
      }
    })
    const keyed = { headers: { ...headers, 'idempotency-key': 'one' } }
    const answers = await Promise.all(['a', 'b', 'c'].map((input) => farebox.service.fetch(requestOf({ input }, keyed))))
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2)
    await answers.find(({ status }) => status === 200)?.arrayBuffer()
    expect(open).toBe(0)
    expect(farebox.crashes).toEqual([])
  })
})
