import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { adminKey, origin, startService, type Harness } from '../../../test/harness.js'
import { createUpstreamSpeech, type UpstreamSpeechOptions } from './upstream-speech.js'

type TestResponse = (response: ServerResponse, request: IncomingMessage) => void

let upstream: Server
let answer: TestResponse
let received: { path?: string | undefined; authorization?: string | undefined; body?: unknown }
let farebox: Harness | undefined

beforeEach(async () => {
  received = {}
  upstream = createServer((request, response) => void receive(request, response))
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    received = {
      path: request.url,
      authorization: request.headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    }
    answer(response, request)
  }
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
})
afterEach(async () => {
  upstream.closeAllConnections()
  upstream.close()
  await farebox?.service.close()
  farebox = undefined
})

const spoken = {
  input: 'The tram is late.',
  response_format: 'wav',
  model: 'tts-qwen3-0-6b',
  voice: 'Vivian',
  prompt: 'Calm.',
}
const streamed = { body: JSON.stringify({ ...spoken, streaming: true }) }

async function say(
  options: Partial<UpstreamSpeechOptions> = {},
  init: RequestInit & { readonly read?: boolean } = {},
) {
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`
  farebox ??= await startService({
    speech: createUpstreamSpeech({ url, apiKey: 'up-key', ...options }),
  })
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify(spoken)
  return farebox.service.fetch(
    new Request(`${origin}/api/v1/audio/speech`, { method: 'POST', headers, body, ...init }),
  )
}

/** 17 characters at 87.5 USD a million, of 100 USD. */
const charged = 100_000_000n - 1_488n
const readBalance = () => farebox?.ledger.balance('key:admin')

describe('speech from upstream', () => {
  it("is requested in OpenAI's format with the upstream's key, and passed on", async () => {
    answer = (response) => response.writeHead(200, { 'content-type': 'audio/wav' }).end('RIFF')
    const response = await say()
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'audio/wav',
      'RIFF',
    ])
    expect(response.headers.get('x-farebox-backend')).toBe('upstream')
    expect(received).toEqual({
      path: '/v1/audio/speech',
      authorization: 'Bearer up-key',
      body: {
        model: 'tts-qwen3-0-6b',
        input: 'The tram is late.',
        voice: 'Vivian',
        response_format: 'wav',
        speed: 1,
        instructions: 'Calm.',
      },
    })
    expect(await readBalance()).toBe(charged)
  })

  it('is streamed, with its first byte before the last is made, and charged', async () => {
    let finish = () => undefined as void
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'audio/wav' }).write('RI')
      finish = () => void response.end('FF')
    }
    const reader = (await say({}, streamed)).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('RI')
    expect(await readBalance()).toBe(charged)
    finish()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('FF')
    expect((await reader?.read())?.done).toBe(true)
  })

  it.each<readonly [string, number, string, TestResponse]>([
    ['is full', 503, 'MODEL_AT_CAPACITY', (response) => response.writeHead(429).end('{}')],
    ['is down', 503, 'MODEL_AT_CAPACITY', (response) => response.writeHead(502).end()],
    ['hangs up', 503, 'MODEL_AT_CAPACITY', (response) => response.destroy()],
    ['says nothing', 503, 'MODEL_AT_CAPACITY', () => undefined],
    [
      'begins and says nothing',
      503,
      'MODEL_AT_CAPACITY',
      (response) => response.writeHead(200, { 'content-type': 'audio/wav' }).flushHeaders(),
    ],
    [
      'rejects',
      500,
      'UNKNOWN_ERROR',
      (response) => response.writeHead(401).end('{"error":"The tram is late."}'),
    ],
    [
      'gives no audio',
      500,
      'UNKNOWN_ERROR',
      (response) => response.writeHead(200, { 'content-type': 'audio/wav' }).end(),
    ],
    [
      'gives JSON',
      500,
      'UNKNOWN_ERROR',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    ],
    [
      'gives JSON as audio',
      500,
      'UNKNOWN_ERROR',
      (response) =>
        response.writeHead(200, { 'content-type': 'audio/wav' }).end('{"error":"tram"}'),
    ],
    [
      'gives a page as audio',
      500,
      'UNKNOWN_ERROR',
      (response) => response.writeHead(200).end('\n<!doctype html><p>The tram is late.'),
    ],
    [
      'states in a 200 that it is full',
      503,
      'MODEL_AT_CAPACITY',
      (response) =>
        response
          .writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
          .end('{"error":{"code":429,"message":"The tram is late."}}'),
    ],
    [
      'leads elsewhere',
      503,
      'MODEL_AT_CAPACITY',
      (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
    ],
  ])('that %s leads to %d and costs nothing', async (name, status, code, given) => {
    answer = given
    // a busy machine may take longer to hand a response over
    const response = await say(name.endsWith('says nothing') ? { firstByteMs: 150 } : {})
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      status,
      code,
    ])
    expect(await readBalance()).toBe(100_000_000n)
    expect(farebox?.crashes).toEqual([])
    expect(farebox?.troubles.join()).not.toContain('tram')
  })

  it('that fails with 400, 413 or 422 leads to 400 with the reason, costs nothing, and is not logged as an operator problem', async () => {
    const error = {
      message: 'The voice Vivian cannot say "The tram is late." with the key up-key.',
      type: 'invalid_request_error',
    }
    const told =
      'The speech model does not take this request. The voice Vivian cannot say "The tram is late." with the key [hidden].'
    for (const status of [400, 413, 422]) {
      answer = (response) =>
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error }))
      const response = await say()
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: told, details: { _errors: [told] } },
      ])
    }
    expect(await readBalance()).toBe(100_000_000n)
    expect([farebox?.crashes, farebox?.troubles]).toEqual([[], []])
    expect(await farebox?.ledger.audit()).toEqual([])
  })

  it('that fails with 401, 402, 403 or 404 is logged and counted for the operator, and is a 500 for the caller', async () => {
    for (const status of [401, 402, 403, 404]) {
      answer = (response) =>
        response
          .writeHead(status)
          .end('{"error":"Incorrect API key provided: up-key. The tram is late."}')
      const response = await say()
      expect([response.status, await response.json()]).toEqual([
        500,
        { error: 'An unknown error occurred.', code: 'UNKNOWN_ERROR' },
      ])
      expect(farebox?.troubles.at(-1)).toBe(
        `speech: Speech: the upstream returned ${status}; check its key, its models and its voices`,
      )
    }
    expect(await readBalance()).toBe(100_000_000n)
    expect(farebox?.crashes).toEqual([])
    expect(await farebox?.metrics()).toContain(
      'farebox_upstream_troubles_total{upstream="speech"} 4\n',
    )
  })

  it('that is full or down leads to 503 with its Retry-After, and only being down is logged as a problem', async () => {
    for (const [status, given, carried] of [
      [429, '17', '17'],
      [429, undefined, '5'],
      [503, '600', '600'],
    ] as const) {
      answer = (response) =>
        response.writeHead(status, given === undefined ? {} : { 'retry-after': given }).end('{}')
      const response = await say()
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, carried])
    }
    expect(await readBalance()).toBe(100_000_000n)
    expect(farebox?.troubles).toEqual(['speech: Speech: the upstream returned 503'])
  })

  it('that breaks off after its first byte is cut off and costs nothing', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'audio/wav' }).write('RI')
      setImmediate(() => response.destroy())
    }
    const response = await say({}, streamed)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
    expect((await say()).status).toBe(503)
    expect(await readBalance()).toBe(100_000_000n)
    expect(await farebox?.ledger.audit()).toEqual([])
  })

  it('that stalls after its first byte is cut off and costs nothing', async () => {
    answer = (response) => void response.writeHead(200, { 'content-type': 'audio/wav' }).write('RI')
    await expect((await say({ idleMs: 100 }, streamed)).text()).rejects.toThrow(
      'nothing more within 100 ms',
    )
    expect((await say({ idleMs: 100 })).status).toBe(503)
    expect(await readBalance()).toBe(100_000_000n)
  })

  it('is read only as fast as its caller reads', async () => {
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(new Uint8Array(++pulled)) },
      { highWaterMark: 0 },
    )
    const fetch = async () => new Response(endless, { headers: { 'content-type': 'audio/wav' } })
    const response = await say({ fetch }, streamed)
    const reader = response.body?.getReader()
    for (let piece = 1; piece <= 5; piece++) {
      expect((await reader?.read())?.value?.length).toBe(piece)
      expect(pulled).toBe(piece)
    }
    await reader?.cancel()
  })

  /** The upstream learns of the request, its caller goes, and then the upstream responds. */
  const leftBefore = async (
    options: Partial<UpstreamSpeechOptions>,
    respond: (response: ServerResponse) => void,
  ) => {
    const caller = new AbortController()
    const closed = new Promise<void>((resolve) => {
      answer = (response) => {
        response.on('close', () => resolve())
        caller.abort()
        setImmediate(respond, response)
      }
    })
    const response = await say(options, { signal: caller.signal })
    await closed
    expect(response.status).toBe(400)
  }

  it('is continued until its response headers when the caller disconnects before them, and charged', async () => {
    await leftBefore({}, (response) =>
      response.writeHead(200, { 'content-type': 'audio/wav' }).write('RI'),
    )
    expect(await readBalance()).toBe(charged)
  })

  it.each([429, 500, 503])(
    'costs a disconnected caller nothing when the upstream then responds with %i',
    async (status) => {
      await leftBefore({}, (response) => response.writeHead(status).end())
      expect(await readBalance()).toBe(100_000_000n)
    },
  )

  it('is aborted immediately when the caller disconnects, if the upstream bills only what it delivers', async () => {
    await leftBefore({ isFreeUntilAudio: true }, () => undefined)
    expect(await readBalance()).toBe(100_000_000n)
  })

  it('is aborted when the caller disconnects in the middle of it, and charged', async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (response) => {
        response.on('close', () => resolve())
        response.writeHead(200, { 'content-type': 'audio/wav' }).write('RI')
      }
    })
    const reader = (await say({}, streamed)).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await closed
    expect(await readBalance()).toBe(charged)
  })
})
