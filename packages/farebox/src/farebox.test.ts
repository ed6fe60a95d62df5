import { inspect } from 'node:util'
import { memoryPaymentStore } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner, solanaKeySigner } from '@farebox/auth/keys'
import { solanaPaymentSigner } from '@farebox/auth/solana'
import { decodePaymentHeader, verifyPaymentAuthorization } from '@farebox/auth/verify'
import { shouldRetryWithKey } from '@farebox/retry'
import { describe, expect, it } from 'vitest'
import { createFarebox } from './farebox.js'
import { FareboxError, isFareboxError } from './error.js'
import type { FareboxEvent } from './options.js'

const baseUrl = 'https://api.example.test/api/v1'
const instantly = { wait: async () => {} }

describe('createFarebox', () => {
  it('returns the data of a call and sends the API key with it', async () => {
    const { fetch, sent } = createScriptedFetch([
      createJsonResponse(200, { text: 'Fares', tokens: 1 }),
    ])
    const farebox = createFarebox({ baseUrl, apiKey: 'key-1', fetch })
    expect(await farebox.parseText({ file: new Blob(['Fares']) })).toEqual({
      text: 'Fares',
      tokens: 1,
    })
    expect(
      sent.map(({ method, url, headers }) => [method, url, headers.get('authorization')]),
    ).toEqual([['POST', `${baseUrl}/augment/text-parser`, 'Bearer key-1']])
  })

  it('throws the declared failure with its whole body, code and request id', async () => {
    const body = {
      error: 'Payment required',
      code: 'PAYMENT_REQUIRED',
      reason: 'insufficient_balance',
      minimumTopUpUsd: 5,
    }
    const { fetch } = createScriptedFetch([
      createJsonResponse(402, body, { 'x-request-id': 'req-7' }),
    ])
    const error = await catchError(
      createFarebox({ baseUrl, apiKey: 'key-1', fetch }).createSpeech({ input: 'Hello' }),
    )
    expect(error).toMatchObject({
      name: 'FareboxError',
      message: 'createSpeech: 402 Payment required',
      operation: 'createSpeech',
      status: 402,
      code: 'insufficient_balance',
      requestId: 'req-7',
      body,
      attempts: 1,
      mayHaveArrived: false,
    })
    expect(isFareboxError(error, 'createSpeech', 402)).toBe(true)
    expect(isFareboxError(error, 'createSpeech', 400)).toBe(false)
    expect(isFareboxError(error, 'queueVideo')).toBe(false)
  })

  it('retries a 503, and states the attempts when it gives up', async () => {
    const { fetch, sent } = createScriptedFetch(
      Array.from({ length: 3 }, () => createJsonResponse(503, { error: 'busy' })),
    )
    const farebox = createFarebox({ baseUrl, apiKey: 'key-1', fetch, retry: instantly })
    expect(await catchError(farebox.createSpeech({ input: 'Hello' }))).toMatchObject({
      status: 503,
      attempts: 3,
    })
    expect(sent).toHaveLength(3)
  })

  it('sends a POST once if its response is lost, and reports that it may have arrived', async () => {
    const { fetch, sent } = createScriptedFetch([new TypeError('socket hang up')])
    const farebox = createFarebox({ baseUrl, apiKey: 'key-1', fetch, retry: instantly })
    expect(
      await catchError(
        farebox.queueVideo({ model: 'local-test-clip', prompt: 'a tram', duration: '5s' }),
      ),
    ).toMatchObject({
      code: 'lost_response',
      mayHaveArrived: true,
      attempts: 1,
    })
    expect(sent).toHaveLength(1)
  })

  it('reports that a call may have arrived if an earlier response was lost', async () => {
    const declared = {
      model: 'local-test-clip',
      prompt: 'a tram',
      duration: '5s',
    } as const
    const { fetch } = createScriptedFetch([
      new TypeError('socket hang up'),
      createJsonResponse(402, { error: 'Payment required' }),
    ])
    const farebox = createFarebox({
      baseUrl,
      apiKey: 'key-1',
      fetch,
      retry: { ...instantly, rule: shouldRetryWithKey },
    })
    expect(await catchError(farebox.queueVideo(declared, { idempotencyKey: 'k' }))).toMatchObject({
      status: 402,
      attempts: 2,
      mayHaveArrived: true,
    })
    const definite = createScriptedFetch([
      createJsonResponse(503, { error: 'busy' }),
      createJsonResponse(402, { error: 'Payment required' }),
    ])
    const other = createFarebox({
      baseUrl,
      apiKey: 'key-1',
      fetch: definite.fetch,
      retry: instantly,
    })
    expect(await catchError(other.queueVideo(declared, { idempotencyKey: 'k' }))).toMatchObject({
      status: 402,
      attempts: 2,
      mayHaveArrived: false,
    })
  })

  it('does not retry with retry: false', async () => {
    const { fetch, sent } = createScriptedFetch([createJsonResponse(503, { error: 'busy' })])
    await catchError(
      createFarebox({ baseUrl, apiKey: 'key-1', fetch, retry: false }).createSpeech({
        input: 'Hello',
      }),
    )
    expect(sent).toHaveLength(1)
  })

  it('signs in again with the wallet on each attempt', async () => {
    const { fetch, sent } = createScriptedFetch([
      createJsonResponse(500, { error: 'oops' }),
      createJsonResponse(200, createBalance('3.000000')),
    ])
    const wallet = privateKeySigner(generatePrivateKey())
    const { balanceUsd } = await createFarebox({
      baseUrl,
      wallet,
      fetch,
      retry: instantly,
    }).balance()
    expect(balanceUsd).toBe(3)
    const headers = sent.map((call) => call.headers.get('sign-in-with-x'))
    expect(headers.every((header) => header !== null)).toBe(true)
    expect(new Set(headers).size).toBe(2)
    expect(sent[0]?.url).toBe(`${baseUrl}/x402/balance/${wallet.address}`)
  })

  it('stops in the middle of a page of transactions at an abort', async () => {
    const transactions = ['e3', 'e2', 'e1'].map((id) => ({ id }))
    const { fetch, sent } = createScriptedFetch([
      createJsonResponse(200, {
        success: true,
        data: { transactions, pagination: { hasMore: false } },
      }),
    ])
    const farebox = createFarebox({ baseUrl, apiKey: 'key-1', fetch })
    const controller = new AbortController()
    const walked: string[] = []
    const walk = async () => {
      for await (const { id } of farebox.transactions('0x', { signal: controller.signal })) {
        walked.push(id)
        if (id === 'e2') controller.abort()
      }
    }
    expect(await catchError(walk())).toMatchObject({
      code: 'aborted',
      operation: 'listTransactions',
    })
    expect([walked, sent.length]).toEqual([['e3', 'e2'], 1])
  })

  it('emits an event for each send, response and retry', async () => {
    const events: FareboxEvent[] = []
    const { fetch } = createScriptedFetch([
      createJsonResponse(503, { error: 'busy' }),
      createJsonResponse(200, { quote: 0.5 }),
    ])
    const farebox = createFarebox({
      baseUrl,
      apiKey: 'key-1',
      fetch,
      retry: instantly,
      onEvent: (event) => events.push(event),
    })
    await farebox.quoteVideo({ model: 'local-test-clip', duration: '5s' })
    expect(events.map(({ type }) => type)).toEqual([
      'send',
      'response',
      'retry',
      'send',
      'response',
    ])
    expect(events[2]).toMatchObject({
      type: 'retry',
      operation: 'quoteVideo',
      attempt: 1,
      reason: 'status 503',
    })
  })

  it('sends one Idempotency-Key on all attempts of a POST, and another on the next call', async () => {
    const { fetch, sent } = createScriptedFetch([
      createJsonResponse(503, { error: 'busy' }),
      createJsonResponse(200, { quote: 0.5 }),
      createJsonResponse(200, { quote: 0.5 }),
    ])
    const farebox = createFarebox({ baseUrl, apiKey: 'key-1', fetch, retry: instantly })
    await farebox.quoteVideo({ model: 'local-test-clip', duration: '5s' })
    await farebox.quoteVideo({ model: 'local-test-clip', duration: '5s' })
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect([keys[1] === keys[0], keys[2] === keys[0]]).toEqual([true, false])
  })

  it('paces calls by the announced limits, and says when there is capacity again', async () => {
    const reset = Math.ceil(Date.now() / 1000) + 3600
    const spent = {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': String(reset),
    }
    const { fetch, sent } = createScriptedFetch([createJsonResponse(200, { quote: 0.5 }, spent)])
    const events: FareboxEvent[] = []
    const farebox = createFarebox({
      baseUrl,
      apiKey: 'key-1',
      fetch,
      onEvent: (event) => events.push(event),
    })
    await farebox.quoteVideo({ model: 'local-test-clip', duration: '5s' })
    expect(
      await catchError(farebox.quoteVideo({ model: 'local-test-clip', duration: '5s' })),
    ).toMatchObject({
      code: 'wait_too_long',
      operation: 'quoteVideo',
      attempts: 0,
      mayHaveArrived: false,
      retryAt: reset * 1000,
    })
    expect(sent).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({
      type: 'give-up',
      operation: 'quoteVideo',
      reason: 'wait_too_long',
      mayHaveArrived: false,
    })
  })

  it('stops before the service blocks it: at 18 failures in 30 s, or 9 with a wallet, which sends each rejected call twice', async () => {
    const sends = async (
      access:
        | { readonly apiKey: string }
        | { readonly wallet: ReturnType<typeof privateKeySigner> },
    ) => {
      const { fetch, sent } = createScriptedFetch(
        Array.from({ length: 40 }, () =>
          createJsonResponse(401, { error: 'Authentication failed' }),
        ),
      )
      const farebox = createFarebox({ baseUrl, ...access, fetch })
      let error: FareboxError | undefined
      for (let call = 0; call < 19; call++)
        error = await catchError(farebox.createSpeech({ input: 'Hello' }))
      expect(error).toMatchObject({ code: 'failure_budget', attempts: 0, mayHaveArrived: false })
      return sent.length
    }
    expect(await sends({ apiKey: 'key-1' })).toBe(18)
    expect(await sends({ wallet: privateKeySigner(generatePrivateKey()) })).toBe(18)
  })

  it('has no pacing and no failure budget if they are turned off', async () => {
    const { fetch, sent } = createScriptedFetch(
      Array.from({ length: 40 }, () => createJsonResponse(401, { error: 'Authentication failed' })),
    )
    const farebox = createFarebox({
      baseUrl,
      apiKey: 'key-1',
      fetch,
      rateLimit: false,
      failureBudget: false,
      retry: false,
    })
    for (let call = 0; call < 40; call++) await catchError(farebox.createSpeech({ input: 'Hello' }))
    expect(sent).toHaveLength(40)
    expect(sent[0]?.headers.has('idempotency-key')).toBe(false)
  })

  it('throws an undeclared response, and never returns it', async () => {
    const { fetch } = createScriptedFetch([
      new Response('<html>Welcome</html>', {
        status: 200,
        headers: { 'content-type': 'text/html' },
      }),
    ])
    expect(
      await catchError(createFarebox({ baseUrl, apiKey: 'key-1', fetch }).getRateLimits()),
    ).toMatchObject({
      code: 'unexpected_response',
      message:
        'getRateLimits: the response 200 says "<html>Welcome</html>", and is text/html; the contract declares application/json',
      status: 200,
      body: '<html>Welcome</html>',
    })
  })

  it('rejects JSON larger than maxResponseBytes', async () => {
    const { fetch, sent } = createScriptedFetch([
      createJsonResponse(200, { text: 'Fares', tokens: 1 }),
      createJsonResponse(200, { text: 'F'.repeat(100), tokens: 1 }),
    ])
    const farebox = createFarebox({ baseUrl, apiKey: 'key-1', fetch, maxResponseBytes: 100 })
    expect(await farebox.parseText({ file: new Blob(['Fares']) })).toEqual({
      text: 'Fares',
      tokens: 1,
    })
    expect(await catchError(farebox.parseText({ file: new Blob(['Fares']) }))).toMatchObject({
      code: 'response_too_large',
      status: 200,
      message: expect.stringContaining('has more than 100 bytes') as string,
      attempts: 1,
      mayHaveArrived: true,
    })
    expect(sent).toHaveLength(2)
  })

  it('ends an attempt without a response after timeoutMs', async () => {
    const fetch: typeof globalThis.fetch = (_url, init) =>
      new Promise((_resolve, reject) =>
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)),
      )
    const farebox = createFarebox({ baseUrl, apiKey: 'key-1', fetch, timeoutMs: 5, retry: false })
    expect(await catchError(farebox.createSpeech({ input: 'Hello' }))).toMatchObject({
      code: 'timeout',
      mayHaveArrived: true,
    })
  })

  it('reports an abort as the code aborted', async () => {
    const controller = new AbortController()
    const fetch: typeof globalThis.fetch = (_url, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error))
        controller.abort()
      })
    const farebox = createFarebox({ baseUrl, apiKey: 'key-1', fetch })
    expect(
      await catchError(farebox.createSpeech({ input: 'Hello' }, { signal: controller.signal })),
    ).toMatchObject({ code: 'aborted' })
  })

  it('shows no key and no signature in its errors', async () => {
    const key = generatePrivateKey()
    const { fetch } = createScriptedFetch([
      createJsonResponse(401, { error: 'Invalid Sign-in-with-x signature' }),
      createJsonResponse(401, { error: 'Invalid Sign-in-with-x signature' }),
    ])
    const error = await catchError(
      createFarebox({ baseUrl, wallet: privateKeySigner(key), fetch }).balance(),
    )
    const shown = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error)
    expect(shown).not.toContain(key.slice(2))
    expect(shown.toLowerCase()).not.toContain('sign-in-with-x":')
  })
})

describe('options', () => {
  it.each([
    [
      {},
      'No base URL. Pass baseUrl or set FAREBOX_BASE_URL, for example to http://127.0.0.1:4020/api/v1.',
    ],
    [
      { baseUrl: 'https://api.example/' },
      'The base URL has no path. Did you mean https://api.example/api/v1?',
    ],
    [
      { baseUrl: 'ftp://x' },
      'The base URL is "ftp://x"; expected one like http://127.0.0.1:4020/api/v1.',
    ],
    [
      { baseUrl, apiKey: 'a', wallet: privateKeySigner(generatePrivateKey()) },
      'apiKey and wallet are both set. Pass one: the service would let the wallet win.',
    ],
    [
      { baseUrl, apiKey: 'a', payments: { topUp: { amountUsd: 5, maxUsdPerDay: 5 } } },
      'payments is set without a wallet. Only a wallet can pay: pass a wallet, or omit payments.',
    ],
  ])('%# are rejected with advice', (options, message) => {
    expect(() => createFarebox(options)).toThrow(
      new FareboxError(message, { code: 'configuration', attempts: 0 }),
    )
  })
})

describe('automatic top-up', () => {
  const offer = {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: '5000000',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo: '0x00000000000000000000000000000000000000AA',
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
  }
  const required = {
    x402Version: 2,
    accepts: [offer],
    resource: { url: 'u', description: 'd', mimeType: 'm' },
  }
  const discovery = () =>
    createJsonResponse(402, required, {
      'payment-required': Buffer.from(JSON.stringify(required)).toString('base64'),
    })
  const credited = () =>
    createJsonResponse(200, {
      success: true,
      data: { walletAddress: '0x', amountCredited: 5, newBalance: 5, paymentId: 'p' },
    })
  const poor = () =>
    createJsonResponse(402, {
      error: 'Payment required',
      code: 'PAYMENT_REQUIRED',
      reason: 'insufficient_balance',
    })
  const parsed = () => createJsonResponse(200, { text: 'Fares', tokens: 1 })

  it('is off by default', async () => {
    const { fetch, sent } = createScriptedFetch([poor()])
    const farebox = createFarebox({
      baseUrl,
      wallet: privateKeySigner(generatePrivateKey()),
      fetch,
      payments: { store: memoryPaymentStore() },
    })
    expect(await catchError(farebox.parseText({ file: new Blob(['x']) }))).toMatchObject({
      status: 402,
    })
    expect(sent).toHaveLength(1)
  })

  it('pays once for concurrent calls, and sends each of them once more', async () => {
    let paid = 0
    const wallet = privateKeySigner(generatePrivateKey())
    const fetch: typeof globalThis.fetch = async (url, init) => {
      if (!toHref(url).endsWith('/x402/top-up')) return paid > 0 ? parsed() : poor()
      if (!new Headers(init?.headers).has('payment-signature')) return discovery()
      paid += 1
      return credited()
    }
    const events: FareboxEvent[] = []
    const onEvent = (event: FareboxEvent) => void events.push(event)
    const farebox = createFarebox({
      baseUrl,
      wallet,
      fetch,
      payments: { topUp: { amountUsd: 5, maxUsdPerDay: 10 }, store: memoryPaymentStore() },
      onEvent,
    })
    const results = await Promise.all(
      [1, 2, 3].map(() => farebox.parseText({ file: new Blob(['x']) })),
    )
    expect(results).toEqual([1, 2, 3].map(() => ({ text: 'Fares', tokens: 1 })))
    expect(paid).toBe(1)
    expect(events.filter(({ type }) => type === 'top-up')).toEqual([
      { type: 'top-up', amountUsd: 5 },
    ])
  })

  it('stops at the daily cap with the reason', async () => {
    const fetch: typeof globalThis.fetch = async (url, init) => {
      if (!toHref(url).endsWith('/x402/top-up')) return poor()
      return new Headers(init?.headers).has('payment-signature') ? credited() : discovery()
    }
    const farebox = createFarebox({
      baseUrl,
      wallet: privateKeySigner(generatePrivateKey()),
      payments: { topUp: { amountUsd: 5, maxUsdPerDay: 5 }, store: memoryPaymentStore() },
      fetch,
    })
    await catchError(farebox.parseText({ file: new Blob(['x']) }))
    expect(await catchError(farebox.parseText({ file: new Blob(['x']) }))).toMatchObject({
      code: 'over_daily_cap',
    })
  })
})

describe('topUp', () => {
  const solanaOffer = {
    scheme: 'exact',
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    amount: '5000000',
    asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    payTo: solanaKeySigner(new Uint8Array(32).fill(2)).address,
    maxTimeoutSeconds: 300,
    extra: {
      feePayer: solanaKeySigner(new Uint8Array(32).fill(1)).address,
      recentBlockhash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    },
  }
  const evmOffer = {
    ...solanaOffer,
    network: 'eip155:8453',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    extra: { name: 'USD Coin', version: '2' },
  }
  const required = {
    x402Version: 2,
    accepts: [evmOffer, solanaOffer],
    resource: { url: 'u', description: 'd', mimeType: 'm' },
  }
  const discovery = () =>
    createJsonResponse(402, required, {
      'payment-required': Buffer.from(JSON.stringify(required)).toString('base64'),
    })

  it('pays with an EVM and a Solana wallet, and the server verifies the signatures', async () => {
    for (const wallet of [
      privateKeySigner(generatePrivateKey()),
      solanaPaymentSigner(new Uint8Array(32).fill(7)),
    ]) {
      const fetch: typeof globalThis.fetch = async (_url, init) => {
        const header = new Headers(init?.headers).get('payment-signature')
        if (header === null) return discovery()
        const { payer, amount } = await verifyPaymentAuthorization(
          decodePaymentHeader(header),
          [evmOffer, solanaOffer],
          {
            minAmount: 5_000_000n,
          },
        )
        return createJsonResponse(200, {
          success: true,
          data: {
            walletAddress: payer,
            amountCredited: Number(amount) / 1e6,
            newBalance: 7,
            paymentId: 'p',
          },
        })
      }
      const credited = await createFarebox({
        baseUrl,
        wallet,
        fetch,
        payments: { store: memoryPaymentStore() },
      }).topUp(7)
      expect(credited).toMatchObject({ walletAddress: wallet.address, amountCredited: 7 })
    }
  })

  it('reports an unknown outcome, with the payload available but never shown', async () => {
    let payload = ''
    const events: FareboxEvent[] = []
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      const headers = new Headers(init?.headers)
      payload = headers.get('payment-signature') ?? payload
      return headers.has('payment-signature')
        ? createJsonResponse(504, { error: 'SETTLEMENT_TIMEOUT' }, { 'retry-after': '60' })
        : discovery()
    }
    const wallet = privateKeySigner(generatePrivateKey())
    const error = await catchError(
      createFarebox({
        baseUrl,
        wallet,
        fetch,
        payments: { store: memoryPaymentStore() },
        onEvent: (event) => events.push(event),
      }).topUp(5),
    )
    expect(error).toMatchObject({
      code: 'outcome_unknown',
      status: 504,
      mayHaveArrived: true,
      cause: { outcome: 'unknown', payload },
    })
    expect(payload).not.toBe('')
    expect(
      inspect([error, events], { depth: 20 }) + JSON.stringify([error, error.cause, events]),
    ).not.toContain(payload.slice(100, 140))
  })
})

describe('generateVideo', () => {
  const queued = {
    model: 'local-test-clip-private',
    queue_id: 'q-1',
    download_url: 'https://files.example.test/q-1?signature=s',
  }
  const state = (status: string) =>
    createJsonResponse(200, { status, average_execution_time: 10, execution_duration: 5 })

  it('downloads from download_url without credentials once the video is COMPLETED', async () => {
    const clip = new Response('clip', { headers: { 'content-type': 'video/mp4' } })
    const { fetch, sent } = createScriptedFetch([state('COMPLETED'), clip])
    const farebox = createFarebox({
      baseUrl,
      apiKey: 'key-1',
      fetch,
      downloadOrigins: ['https://files.example.test/'],
    })
    expect(await (await farebox.generateVideo(queued)).text()).toBe('clip')
    expect(sent.map(({ url, headers }) => [url, headers.get('authorization')])).toEqual([
      [`${baseUrl}/video/retrieve`, 'Bearer key-1'],
      ['https://files.example.test/q-1?signature=s', null],
    ])
  })

  it('queues, polls and returns the file if the service sends it itself', async () => {
    const clip = new Response('clip', { headers: { 'content-type': 'video/mp4' } })
    const { fetch } = createScriptedFetch([
      createJsonResponse(200, { model: 'local-test-clip', queue_id: 'q-2' }),
      state('PROCESSING'),
      clip,
    ])
    const seen: string[] = []
    const farebox = createFarebox({ baseUrl, apiKey: 'key-1', fetch })
    const video = await farebox.generateVideo(
      { model: 'local-test-clip', prompt: 'a tram', duration: '5s' },
      {
        pollMs: 0,
        onProgress: (progress) =>
          seen.push(
            progress.stage === 'processing'
              ? `${progress.queueId} ${progress.status}`
              : progress.stage,
          ),
      },
    )
    expect(await video.text()).toBe('clip')
    expect(seen).toEqual(['queued', 'q-2 PROCESSING'])
  })
})

function createJsonResponse(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

function createBalance(usd: string) {
  return {
    success: true,
    data: {
      walletAddress: '0x',
      balanceUsd: Number(usd),
      canConsume: true,
      minimumTopUpUsd: 5,
      suggestedTopUpUsd: 10,
    },
  }
}

type SentRequest = { readonly url: string; readonly method: string; readonly headers: Headers }

/** A fetch that returns these responses in turn, and its calls. */
function createScriptedFetch(responses: readonly (Response | Error)[]): {
  readonly fetch: typeof globalThis.fetch
  readonly sent: SentRequest[]
} {
  const sent: SentRequest[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    sent.push({
      url: toHref(url),
      method: init?.method ?? 'GET',
      headers: new Headers(init?.headers),
    })
    const response = responses[sent.length - 1]
    if (response === undefined) throw new Error('The script has no further answer.')
    if (response instanceof Error) throw response
    return response
  }
  return { fetch, sent }
}

function toHref(input: string | URL | Request): string {
  return input instanceof Request ? input.url : input.toString()
}

async function catchError(promise: Promise<unknown>): Promise<FareboxError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof FareboxError) return error
    throw error
  }
  throw new Error('Nothing was thrown.')
}
