import { operations } from '@farebox/types/operations'
import type { Middleware } from '@farebox/middleware'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClient, InvalidInputError, UnexpectedResponseError, type Client } from './index.js'

type SentRequest = { readonly url: string; readonly init: RequestInit }

const base = 'https://api.example/api/v1'
const address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'

const createJsonResponse = (body: unknown, status = 200) => Response.json(body, { status })

/**
 * A client over a fetch that notes what it was given and responds in order, or always with an empty
 * JSON object.
 */
function createScriptedClient(
  responses: readonly (() => Response)[] = [],
  middleware: readonly Middleware[] = [],
) {
  const sent: SentRequest[] = []
  const script = responses.values()
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    if (typeof input !== 'string') throw new Error('expected a URL as text')
    sent.push({ url: input, init })
    return (script.next().value ?? (() => createJsonResponse({})))()
  }
  return { client: createClient({ baseUrl: base, fetch, middleware }), sent }
}

/** What went out, as plain data. */
async function toPlainRequest(sent: SentRequest | undefined) {
  const { url, init } = sent ?? { url: '', init: {} }
  const headers = Object.fromEntries(new Headers(init.headers))
  const boundary = /boundary=(.*)/.exec(headers['content-type'] ?? '')?.[1]
  const body = init.body === undefined ? undefined : await new Response(init.body).text()
  const fixed = (text: string | undefined) =>
    boundary === undefined ? text : text?.replaceAll(boundary, 'BOUNDARY')
  return [
    `${init.method} ${url.slice(base.length)}`,
    JSON.parse(fixed(JSON.stringify(headers)) ?? '{}') as unknown,
    fixed(body),
  ]
}

afterEach(() => {
  vi.unstubAllGlobals()
})

const accept = 'application/json'
const contentType = 'application/json'
const sound =
  'audio/mpeg, audio/opus, audio/aac, audio/flac, audio/wav, audio/pcm, application/json'
const file = new File(['bytes'], 'a.txt', { type: 'text/plain' })
const filePart =
  'Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nbytes\r\n'

const calls: Record<
  keyof typeof operations,
  readonly [
    call: (client: Client) => Promise<unknown>,
    line: string,
    headers: object,
    body?: string,
  ]
> = {
  topUp: [
    (client) => client.topUp({ paymentSignature: 'c2lnbmVk', idempotencyKey: 'k1' }),
    'POST /x402/top-up',
    { accept, 'payment-signature': 'c2lnbmVk', 'idempotency-key': 'k1' },
  ],
  getBalance: [
    (client) => client.getBalance({ walletAddress: address }),
    `GET /x402/balance/${address}`,
    { accept },
  ],
  listTransactions: [
    (client) => client.listTransactions({ walletAddress: address, limit: 10, offset: 0 }),
    `GET /x402/transactions/${address}?limit=10&offset=0`,
    { accept },
  ],
  createSpeech: [
    (client) => client.createSpeech({ input: 'Héllo', model: 'tts-kokoro', idempotencyKey: 'k2' }),
    'POST /audio/speech',
    { accept: sound, 'content-type': contentType, 'idempotency-key': 'k2' },
    '{"input":"Héllo","model":"tts-kokoro"}',
  ],
  createVoice: [
    (client) => client.createVoice({ file }),
    'POST /audio/voices',
    { accept, 'content-type': 'multipart/form-data; boundary=BOUNDARY' },
    `--BOUNDARY\r\n${filePart}--BOUNDARY--\r\n`,
  ],
  parseText: [
    (client) => client.parseText({ file, response_format: 'text' }),
    'POST /augment/text-parser',
    {
      accept: 'application/json, text/plain',
      'content-type': 'multipart/form-data; boundary=BOUNDARY',
    },
    `--BOUNDARY\r\n${filePart}--BOUNDARY\r\nContent-Disposition: form-data; name="response_format"\r\n\r\ntext\r\n--BOUNDARY--\r\n`,
  ],
  createTranscription: [
    (client) => client.createTranscription({ file, model: 'local-test-transcription' }),
    'POST /audio/transcriptions',
    {
      accept: 'application/json, text/plain',
      'content-type': 'multipart/form-data; boundary=BOUNDARY',
    },
    `--BOUNDARY\r\n${filePart}--BOUNDARY\r\nContent-Disposition: form-data; name="model"\r\n\r\nlocal-test-transcription\r\n--BOUNDARY--\r\n`,
  ],
  createChatCompletion: [
    (client) =>
      client.createChatCompletion({
        model: 'local-test-chat',
        messages: [{ role: 'user', content: 'Hello' }],
        stream: true,
      }),
    'POST /chat/completions',
    { accept: 'application/json, text/event-stream', 'content-type': contentType },
    '{"model":"local-test-chat","messages":[{"role":"user","content":"Hello"}],"stream":true}',
  ],
  createEmbedding: [
    (client) => client.createEmbedding({ model: 'local-test-embedding', input: ['a', 'b'] }),
    'POST /embeddings',
    { accept, 'content-type': contentType },
    '{"model":"local-test-embedding","input":["a","b"]}',
  ],
  createImage: [
    (client) => client.createImage({ model: 'local-test-image', prompt: 'a tram', n: 2 }),
    'POST /images/generations',
    { accept, 'content-type': contentType },
    '{"model":"local-test-image","prompt":"a tram","n":2}',
  ],
  quoteVideo: [
    (client) => client.quoteVideo({ model: 'local-test-clip', duration: '5s' }),
    'POST /video/quote',
    { accept, 'content-type': contentType },
    '{"model":"local-test-clip","duration":"5s"}',
  ],
  queueVideo: [
    (client) => client.queueVideo({ model: 'local-test-clip', prompt: 'a boat', duration: '5s' }),
    'POST /video/queue',
    { accept, 'content-type': contentType },
    '{"model":"local-test-clip","prompt":"a boat","duration":"5s"}',
  ],
  retrieveVideo: [
    (client) => client.retrieveVideo({ model: 'local-test-clip', queue_id: 'q1' }),
    'POST /video/retrieve',
    { accept: 'application/json, video/mp4', 'content-type': contentType },
    '{"model":"local-test-clip","queue_id":"q1"}',
  ],
  listModels: [(client) => client.listModels({ type: 'tts' }), 'GET /models?type=tts', { accept }],
  getModel: [
    (client) => client.getModel({ id: 'maker/model one' }),
    'GET /models/maker%2Fmodel%20one',
    { accept },
  ],
  createApiKey: [
    (client) => client.createApiKey({ apiKeyType: 'INFERENCE', description: 'ci' }),
    'POST /api_keys',
    { accept, 'content-type': contentType },
    '{"apiKeyType":"INFERENCE","description":"ci"}',
  ],
  listApiKeys: [
    (client) => client.listApiKeys({ state: 'active', limit: 2 }),
    'GET /api_keys?state=active&limit=2',
    { accept },
  ],
  getApiKey: [(client) => client.getApiKey({ id: 'k1' }), 'GET /api_keys/k1', { accept }],
  changeApiKey: [
    (client) => client.changeApiKey({ id: 'k1', consumptionLimit: null }),
    'PATCH /api_keys/k1',
    { accept, 'content-type': contentType },
    '{"consumptionLimit":null}',
  ],
  rotateApiKey: [
    (client) => client.rotateApiKey({ id: 'k1', graceSeconds: 60 }),
    'POST /api_keys/k1/rotate',
    { accept, 'content-type': contentType },
    '{"graceSeconds":60}',
  ],
  revokeApiKey: [(client) => client.revokeApiKey({ id: 'k1' }), 'DELETE /api_keys/k1', { accept }],
  getRateLimits: [(client) => client.getRateLimits(), 'GET /api_keys/rate_limits', { accept }],
  listRateLimitLogs: [
    (client) => client.listRateLimitLogs(),
    'GET /api_keys/rate_limits/log',
    { accept },
  ],
}

const outgoing = Object.entries(calls).map(([id, [call, line, headers, body]]) => ({
  id,
  call,
  line,
  headers,
  body,
}))

describe('a request', () => {
  it.each(outgoing)('$id', async ({ id, call, line, headers, body }) => {
    const seen: unknown[] = []
    const note: Middleware = (next) => (passing) => {
      seen.push(passing.operation)
      return next(passing)
    }
    const { client, sent } = createScriptedClient([() => createJsonResponse({}, 400)], [note])
    // a declared 400, or for operations without one an undeclared status: what goes out is the same
    await call(client).catch((error: unknown) =>
      expect(error).toBeInstanceOf(UnexpectedResponseError),
    )
    expect(await toPlainRequest(sent[0])).toEqual([line, headers, body])
    const { method, path, security, idempotent, rateLimit } =
      operations[id as keyof typeof operations]
    expect(seen).toMatchObject([{ id, method, path, security, idempotent, rateLimit }])
  })

  it('a slash at the end of the base URL does no harm', async () => {
    const urls: unknown[] = []
    const client = createClient({
      baseUrl: `${base}//`,
      fetch: async (url) => {
        urls.push(url)
        return createJsonResponse({})
      },
    })
    await client.getRateLimits()
    await client.GET('/models')
    expect(urls).toEqual([`${base}/api_keys/rate_limits`, `${base}/models`])
  })

  it("the caller's headers win over the client's", async () => {
    const { client, sent } = createScriptedClient()
    await client.getRateLimits({}, { headers: { Accept: 'text/plain', 'x-request-id': '1' } })
    expect(await toPlainRequest(sent[0])).toEqual([
      'GET /api_keys/rate_limits',
      { accept: 'text/plain', 'x-request-id': '1' },
      undefined,
    ])
  })

  it("the caller's own signal reaches fetch", async () => {
    const { client, sent } = createScriptedClient()
    const { signal } = new AbortController()
    await client.getRateLimits({}, { signal })
    await client.GET('/models', { signal })
    expect(sent.map(({ init }) => init.signal === signal)).toEqual([true, true])
  })

  it('a method may be taken out of the client', async () => {
    const { client, sent } = createScriptedClient()
    const { getRateLimits } = client
    await getRateLimits()
    expect(sent).toHaveLength(1)
  })

  it("a stream is sent with duplex: 'half'", async () => {
    const { client, sent } = createScriptedClient()
    await client.parseText({ file: () => new Blob(['a']).stream() })
    expect([sent[0]?.init.body instanceof ReadableStream, sent[0]?.init]).toMatchObject([
      true,
      { duplex: 'half' },
    ])
  })

  it('every middleware may send a call again, a stream included', async () => {
    const twice: Middleware = (next) => async (call) => {
      await next(call)
      return next(call)
    }
    const { client, sent } = createScriptedClient([], [twice])
    await client.parseText({ file: () => new Blob(['a']).stream() })
    const [first, second] = [await toPlainRequest(sent[0]), await toPlainRequest(sent[1])]
    expect(first).toEqual(second)
    expect(first[2]).toContain(
      'filename="file"\r\nContent-Type: application/octet-stream\r\n\r\na\r\n',
    )
  })
})

describe('rejected before sending', () => {
  it('a call without a field of its path', async () => {
    const { client, sent } = createScriptedClient()
    for (const walletAddress of [undefined, null, '']) {
      // @ts-expect-error null and undefined are no addresses
      await expect(client.getBalance({ walletAddress })).rejects.toThrow(
        new InvalidInputError(
          'getBalance: the path parameter "walletAddress" is required, and the input has no "walletAddress".',
        ),
      )
    }
    expect(sent).toEqual([])
  })

  it('a call whose path would be another one', async () => {
    const { client, sent } = createScriptedClient()
    for (const id of ['.', '..']) {
      await expect(client.getModel({ id })).rejects.toThrow(
        new InvalidInputError(
          `getModel: a value for the path /models/{id} is "${id}", which no URL can hold. Give another.`,
        ),
      )
    }
    expect(sent).toEqual([])
  })

  it('a header of several lines, and the complaint does not repeat it', async () => {
    const { client } = createScriptedClient()
    await expect(client.topUp({ paymentSignature: 'secret\r\nX-Evil: 1' })).rejects.toThrow(
      new InvalidInputError(
        'topUp: the header parameter "PAYMENT-SIGNATURE" cannot carry the value of "paymentSignature": a header takes Latin-1 text of one line.',
      ),
    )
  })
})

describe('a file', () => {
  const full = 25 * 1024 * 1024
  const of = (size: number) => ({ file: new Blob([new Uint8Array(size)]) })

  it('of 25 MB goes out', async () => {
    const { client, sent } = createScriptedClient()
    await client.parseText(of(full))
    expect(sent).toHaveLength(1)
  })

  it('of more does not', async () => {
    const { client, sent } = createScriptedClient()
    await expect(client.parseText(of(full + 1))).rejects.toThrow(
      new InvalidInputError('file: the file has more than 26214400 bytes.'),
    )
    expect(sent).toEqual([])
  })
})

describe('a response', () => {
  it('is limited in JSON, and has no limit as a stream', async () => {
    const many = 'a'.repeat(1000)
    const responses = [
      createJsonResponse({ text: many, tokens: 1 }),
      new Response(many, { headers: { 'content-type': 'audio/mpeg' } }),
    ].values()
    const fetch = async () => responses.next().value ?? expect.fail('nothing more was expected')
    const client = createClient({ baseUrl: base, fetch, maxResponseBytes: 100 })
    await expect(client.parseText({ file })).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      reason: 'too_large',
    })
    const speech = await client.createSpeech({ input: 'Hello' })
    expect(speech.status === 200 && (await speech.data.text())).toBe(many)
  })

  it('is told apart by status', async () => {
    const paymentRequired = { error: 'Insufficient balance' }
    const { client } = createScriptedClient([
      () => new Response('sound', { headers: { 'content-type': 'audio/mpeg' } }),
      () => createJsonResponse(paymentRequired, 402),
    ])
    const input = { input: 'Hello', model: 'tts-kokoro' } as const

    const ok = await client.createSpeech(input)
    expect(ok.status === 200 && (await ok.data.text())).toBe('sound')
    const rejected = await client.createSpeech(input)
    expect(rejected.status === 402 && rejected.error).toEqual(paymentRequired)
  })

  it('is text or JSON, as the response says', async () => {
    const parsed = { text: 'Hello', tokens: 1 }
    const { client } = createScriptedClient([
      () => createJsonResponse(parsed),
      () => new Response('Hello', { headers: { 'content-type': 'text/plain' } }),
    ])
    expect(await client.parseText({ file })).toMatchObject({ status: 200, data: parsed })
    expect(await client.parseText({ file })).toMatchObject({ status: 200, data: 'Hello' })
  })

  it('is thrown when the contract does not declare it', async () => {
    const { client } = createScriptedClient([
      () => new Response('<html>', { status: 502, headers: { 'content-type': 'text/html' } }),
    ])
    await expect(client.getRateLimits()).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      status: 502,
      excerpt: '<html>',
    })
  })

  it('what fetch throws is passed on', async () => {
    const lost = new InvalidInputError('fetch failed')
    const client = createClient({ baseUrl: base, fetch: () => Promise.reject(lost) })
    await expect(client.getRateLimits()).rejects.toBe(lost)
  })
})

describe('calls by path', () => {
  it('go through the middleware with their operation, as plain calls', async () => {
    const seen: unknown[] = []
    const note: Middleware = (next) => (call) => {
      seen.push([call.method, call.url, call.operation?.id])
      return next({
        ...call,
        headers: new Headers([...call.headers, ['authorization', 'Bearer key']]),
      })
    }
    const { client, sent } = createScriptedClient(
      [() => createJsonResponse({ id: 'tts-kokoro' }), () => new Response('sound')],
      [note],
    )
    const model = await client.GET('/models/{id}', { params: { path: { id: 'tts-kokoro' } } })
    const speech = await client.POST('/audio/speech', {
      body: { input: 'Hello', model: 'tts-kokoro' },
      parseAs: 'text',
    })

    expect([model.data, speech.data]).toEqual([{ id: 'tts-kokoro' }, 'sound'])
    expect(seen).toEqual([
      ['GET', `${base}/models/tts-kokoro`, 'getModel'],
      ['POST', `${base}/audio/speech`, 'createSpeech'],
    ])
    expect(await toPlainRequest(sent[1])).toEqual([
      'POST /audio/speech',
      { authorization: 'Bearer key', 'content-type': 'application/json' },
      '{"input":"Hello","model":"tts-kokoro"}',
    ])
  })

  it('keep what else fetch is to be told, and leave redirects to the middleware', async () => {
    const { client, sent } = createScriptedClient()
    await client.GET('/models', { cache: 'no-store' })
    await client.GET('/models', { redirect: 'error' })
    expect(sent.map(({ init }) => [init.cache, init.redirect])).toEqual([
      ['no-store', undefined],
      [undefined, 'error'],
    ])
  })

  it("go through openapi-fetch's own middleware while it is in use", async () => {
    const { client, sent } = createScriptedClient()
    const mark = {
      onRequest: ({ request }: { request: Request }) => request.headers.set('x-mark', '1'),
    }
    client.use(mark)
    await client.GET('/models')
    client.eject(mark)
    await client.GET('/models')
    expect(sent.map(({ init }) => new Headers(init.headers).get('x-mark'))).toEqual(['1', null])
  })

  it('by request() know their operation too', async () => {
    const seen: unknown[] = []
    const note: Middleware = (next) => (call) => {
      seen.push(call.operation?.id)
      return next(call)
    }
    const { client } = createScriptedClient([], [note])
    await client.request('get', '/models')
    expect(seen).toEqual(['listModels'])
  })

  it('of failure give the error beside the response', async () => {
    const { client } = createScriptedClient([() => createJsonResponse({ error: 'no' }, 401)])
    const { error, response } = await client.GET('/models')
    expect([error, response.status]).toEqual([{ error: 'no' }, 401])
  })
})

describe('the platform', () => {
  it('is not touched before the first call, and no Request is ever built', async () => {
    const touched: string[] = []
    const request = new Proxy(globalThis.Request, {
      construct() {
        touched.push('new Request')
        return {}
      },
    })
    vi.stubGlobal('Request', request)
    vi.stubGlobal('fetch', (url: string) => {
      touched.push(`fetch ${url}`)
      return Promise.resolve(createJsonResponse({}))
    })
    vi.resetModules()
    const fresh = await import('./index.js')
    const client = fresh.createClient({ baseUrl: base })
    expect(touched).toEqual([])
    await client.getRateLimits()
    await client.GET('/models')
    expect(touched).toEqual([`fetch ${base}/api_keys/rate_limits`, `fetch ${base}/models`])
  })

  it('gives the fetch of the moment of the call', async () => {
    const client = createClient({ baseUrl: base })
    vi.stubGlobal('fetch', () => Promise.resolve(createJsonResponse({ late: true })))
    expect(await client.getRateLimits()).toMatchObject({ data: { late: true } })
  })
})
