import { expect, it } from 'vitest'
import { createFarebox } from './farebox.js'
import type { FareboxError } from './error.js'
import type { FareboxOptions } from './options.js'

const baseUrl = 'https://api.example.test/api/v1'

type SentRequest = { readonly url: string; readonly init: RequestInit }

/** An SDK object whose fetch returns these responses in turn, and repeats the last one. */
function createScripted(
  responses: readonly (() => Response | Promise<Response>)[],
  options: FareboxOptions = {},
) {
  const sent: SentRequest[] = []
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    const make = responses[Math.min(sent.length, responses.length - 1)]
    sent.push({ url: String(url), init })
    return make?.() ?? Response.error()
  }
  return {
    sent,
    farebox: createFarebox({
      baseUrl,
      apiKey: 'key-1',
      fetch,
      retry: { backoff: () => 0 },
      ...options,
    }),
  }
}

const catchError = async (work: Promise<unknown>): Promise<FareboxError> =>
  work.then(
    () => Promise.reject(new Error('expected an error')),
    (error: FareboxError) => error,
  )

const createBalanceResponse = () =>
  Response.json(
    { success: true, data: { balanceUsd: 4.5 } },
    {
      headers: {
        'x-request-id': 'r1',
        'x-balance-remaining': '4.500000',
        'idempotent-replayed': 'true',
        'x-ratelimit-limit-requests': '30',
        'x-ratelimit-remaining-requests': '29',
        'x-ratelimit-reset-requests': '1900000000',
      },
    },
  )

it('a method returns the unwrapped data, and withResponse adds the body, status, headers and limits', async () => {
  const { farebox, sent } = createScripted([createBalanceResponse])
  expect(await farebox.getBalance({ walletAddress: '0x0' })).toEqual({ balanceUsd: 4.5 })
  const { headers, ...whole } = await farebox.getBalance({ walletAddress: '0x0' }).withResponse()
  expect(whole).toEqual({
    data: { balanceUsd: 4.5 },
    body: { success: true, data: { balanceUsd: 4.5 } },
    status: 200,
    requestId: 'r1',
    balanceUsd: 4.5,
    replayed: true,
    limits: { requests: { limit: 30, remaining: 29, resetAt: 1_900_000_000_000 }, tokens: {} },
  })
  expect([headers.get('x-request-id'), sent.length]).toEqual(['r1', 2])
})

it('headers that the service does not send are undefined or omitted', async () => {
  const { farebox } = createScripted([() => Response.json({ quote: 1 })])
  expect(await farebox.quoteVideo({ model: 'm', duration: '5s' }).withResponse()).toMatchObject({
    data: { quote: 1 },
    requestId: undefined,
    balanceUsd: undefined,
    replayed: false,
    limits: { requests: {}, tokens: {} },
  })
})

it.each(['', 'unknown'])('the balance header %j states no balance', async (value) => {
  const headers = { 'x-balance-remaining': value }
  const { farebox } = createScripted([() => Response.json({ quote: 1 }, { headers })])
  const { balanceUsd } = await farebox.quoteVideo({ model: 'm', duration: '5s' }).withResponse()
  expect(balanceUsd).toBeUndefined()
})

it('a failure rejects the call once, however it is awaited', async () => {
  const stray: unknown[] = []
  const note = (reason: unknown) => void stray.push(reason)
  process.on('unhandledRejection', note)
  const { farebox } = createScripted([() => Response.json({ error: 'no' }, { status: 400 })])
  expect(await catchError(farebox.listModels())).toMatchObject({ status: 400 })
  expect(await catchError(farebox.listModels().withResponse())).toMatchObject({ status: 400 })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(stray).toEqual([])
})

it('options of a call apply to that call only', async () => {
  const busy = () => Response.json({ error: 'busy' }, { status: 503 })
  const { farebox, sent } = createScripted([busy])
  expect(
    await catchError(farebox.listModels({}, { retry: false, headers: { 'x-one': '1' } })),
  ).toMatchObject({ attempts: 1 })
  expect(new Headers(sent[0]?.init.headers).get('x-one')).toBe('1')
  expect(
    await catchError(farebox.listModels({}, { retry: { attempts: 2, backoff: () => 0 } })),
  ).toMatchObject({ attempts: 2 })
  expect(await catchError(farebox.listModels())).toMatchObject({ attempts: 3 })

  const silent: typeof fetch = (_url, init) =>
    new Promise((_resolve, reject) =>
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)),
    )
  const waiting = createFarebox({
    baseUrl,
    apiKey: 'key-1',
    fetch: silent,
    timeoutMs: 3_600_000,
    retry: false,
  })
  expect(await catchError(waiting.listModels({}, { timeoutMs: 1 }))).toMatchObject({
    code: 'timeout',
  })
})

it.each<[string, unknown, string]>([
  ['null for its options', null, 'A call takes an object of options. Nothing was sent.'],
  ['a number for its options', 5, 'A call takes an object of options. Nothing was sent.'],
  [
    'an unknown option',
    { timeout: 5 },
    'A call has no option "timeout". Did you mean "timeoutMs"? Nothing was sent.',
  ],
  [
    'an unknown option of its retries',
    { retry: { attemps: 5 } },
    'A call: retry has no option "attemps". Did you mean "attempts"?',
  ],
  ['an invalid timeout', { timeoutMs: -1 }, 'timeoutMs is -1. Expected a number above 0.'],
  [
    'a header that HTTP does not allow',
    { headers: { 'x-one': 'secret\nline' } },
    'HTTP does not allow',
  ],
  ['invalid retry options', { retry: { attempts: 0 } }, 'attempts'],
])('rejects %s before anything is sent', async (_what, options, message) => {
  const { farebox, sent } = createScripted([createBalanceResponse])
  const error = await catchError(
    farebox.quoteVideo({ model: 'm', duration: '5s' }, options as object),
  )
  expect(error).toMatchObject({
    name: 'FareboxError',
    code: 'invalid_input',
    mayHaveArrived: false,
    attempts: 0,
    operation: 'quoteVideo',
  })
  expect(error.message).toContain(message)
  expect([error.message.includes('secret'), sent.length]).toEqual([false, 0])
})

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle

it.each<[string, unknown]>([
  ['null', null],
  ['a string', 'model'],
  ['a list', []],
  ['a cycle', cycle],
  ['a bigint', { model: 'm', duration: 5n }],
  [
    'a getter that throws',
    Object.defineProperty({}, 'model', {
      enumerable: true,
      get: () => {
        throw new Error('no')
      },
    }),
  ],
])('rejects %s as an input, and makes no attempt', async (_what, input) => {
  const { farebox, sent } = createScripted([createBalanceResponse])
  const error = await catchError(farebox.quoteVideo(input as never))
  expect(error).toMatchObject({
    name: 'FareboxError',
    code: 'invalid_input',
    mayHaveArrived: false,
    attempts: 0,
  })
  expect(sent).toEqual([])
})

it('the error of an undeclared response keeps the whole body, unless it may hold a new key', async () => {
  const long = { error: 'x'.repeat(2000), hint: 'key-1' }
  const teapot = createScripted([() => Response.json(long, { status: 418 })])
  const error = await catchError(teapot.farebox.listModels())
  expect(error).toMatchObject({
    code: 'unexpected_response',
    status: 418,
    body: { error: long.error, hint: '[hidden]' },
  })
  const page = createScripted([
    () =>
      new Response('<p>'.repeat(1000), { status: 502, headers: { 'content-type': 'text/html' } }),
  ])
  expect(await catchError(page.farebox.listModels())).toMatchObject({ body: '<p>'.repeat(1000) })
  const created = createScripted([() => Response.json({ apiKey: 'secret' }, { status: 201 })])
  expect(await catchError(created.farebox.listModels())).toMatchObject({ body: '' })
})

it('request() has the credentials, retries and errors of the operations', async () => {
  const { farebox, sent } = createScripted([
    () => Response.json({}, { status: 503 }),
    () => Response.json({ id: 'x' }),
  ])
  const response = await farebox.request('post', '/things?a=1', {
    query: { b: 2, c: undefined },
    body: { name: 'y' },
  })
  expect([response.status, await response.json()]).toEqual([200, { id: 'x' }])
  expect(sent.map(({ url }) => url)).toEqual([
    `${baseUrl}/things?a=1&b=2`,
    `${baseUrl}/things?a=1&b=2`,
  ])
  const { method, headers, body } = sent[1]?.init ?? {}
  expect([
    method,
    new Headers(headers).get('authorization'),
    new Headers(headers).get('content-type'),
    body,
  ]).toEqual(['POST', 'Bearer key-1', 'application/json', '{"name":"y"}'])
  const rejected = createScripted([
    () => Response.json({ error: 'no such thing', code: 'NO_THING' }, { status: 404 }),
  ])
  expect(await catchError(rejected.farebox.request('GET', '/things/7'))).toMatchObject({
    name: 'FareboxError',
    message: 'request: 404 no such thing',
    code: 'NO_THING',
    status: 404,
    operation: undefined,
    body: { error: 'no such thing', code: 'NO_THING' },
  })
})

it('request() passes bodies that fetch accepts unchanged, and sends to the service only', async () => {
  const { farebox, sent } = createScripted([() => new Response('done')])
  const form = new FormData()
  await farebox.request('POST', '/things', { body: form })
  await farebox.request('PUT', '/things', {
    body: 'text',
    headers: { 'content-type': 'text/x-own' },
  })
  expect(sent.map(({ init }) => init.body)).toEqual([form, 'text'])
  for (const path of [
    'things',
    '//evil.example/things',
    'https://evil.example/',
    '@evil.example/',
  ]) {
    expect(await catchError(farebox.request('GET', path))).toMatchObject({
      code: 'invalid_input',
      attempts: 0,
    })
  }
  expect(sent).toHaveLength(2)
})

it('parseAll sends several files at a time, keeps their order, and keeps the others if one fails', async () => {
  let open = 0
  let most = 0
  const parse = async (): Promise<Response> => {
    most = Math.max(most, ++open)
    await new Promise((resolve) => setImmediate(resolve))
    open--
    return Response.json({ text: `file ${sent.length}`, tokens: 1 })
  }
  const { farebox, sent } = createScripted([parse])
  const seen: number[] = []
  const files = [1, 2, 3, 4, 5].map((number) =>
    number === 3 ? ('not a file' as never) : new Blob([String(number)]),
  )
  const results = await farebox.parseAll(files, {
    concurrency: 2,
    onProgress: ({ done, total }) => seen.push(done / total),
  })
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
  expect(results[2]).toMatchObject({ reason: { code: 'invalid_input', operation: 'parseText' } })
  expect([sent.length, most, seen]).toEqual([4, 2, [0.2, 0.4, 0.6, 0.8, 1]])
  await expect(farebox.parseAll(files, { concurrency: 0 })).rejects.toMatchObject({
    code: 'invalid_input',
  })
})

it('parseAll accepts any iterable of files, and keeps the results if a listener throws', async () => {
  const { farebox } = createScripted([() => Response.json({ text: 'x', tokens: 1 })])
  const onProgress = () => {
    throw new Error('mine')
  }
  const files = [new Blob(['1']), new Blob(['2'])]
  for (const list of [files, new Set(files), files.values()]) {
    const results = await farebox.parseAll(list, { onProgress })
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  }
  for (const none of [undefined, null, 7, new Blob(['1']), { length: 1 }]) {
    expect(await catchError(farebox.parseAll(none as never))).toMatchObject({
      code: 'invalid_input',
      attempts: 0,
      mayHaveArrived: false,
    })
  }
})

it.each([
  ['GET', { body: {} }],
  ['head', { body: {} }],
  ['CONNECT', {}],
  ['G T', {}],
  ['', {}],
])('%s with %j cannot be sent, which is a mistake of the caller', async (method, options) => {
  const { farebox, sent } = createScripted([() => new Response()])
  const error = await catchError(farebox.request(method, '/things', options))
  const message = `request: ${method} cannot be sent, or has no body.`
  expect(error).toMatchObject({
    code: 'invalid_input',
    attempts: 0,
    mayHaveArrived: false,
    message,
  })
  expect(sent).toEqual([])
})

it('a failure before the first request has 0 attempts', async () => {
  const { farebox, sent } = createScripted([() => Response.json({})], { retry: false })
  const error = await catchError(
    farebox.createSpeech({ input: 'Hello' }, { signal: { aborted: false } as AbortSignal }),
  )
  expect([error.attempts, error.mayHaveArrived, sent.length]).toEqual([0, false, 0])
})

it('a timeout of more than 24 days does not fire after a millisecond', async () => {
  const late = async () => {
    // outlast a timer of a millisecond
    for (const start = performance.now(); performance.now() < start + 5;)
      await new Promise((resolve) => void setImmediate(resolve))
    return Response.json({ data: [], object: 'list' })
  }
  for (const timeoutMs of [Infinity, 2 ** 31]) {
    const { farebox } = createScripted([late], { timeoutMs, retry: false })
    expect(await farebox.listModels()).toEqual([])
    expect(await farebox.listModels({}, { timeoutMs })).toEqual([])
  }
})

it.each<[object, string]>([
  [{ timeoutMs: NaN }, 'timeoutMs is NaN. Expected a number above 0.'],
  [{ timeoutMs: 0 }, 'timeoutMs is 0.'],
  [{ idleTimeoutMs: -1 }, 'idleTimeoutMs is -1.'],
  [{ maxResponseBytes: NaN }, 'maxResponseBytes is NaN.'],
  [{ retry: { attempts: 0 } }, 'retry: attempts is 0, expected at least 1'],
  [{ rateLimit: { burst: 0 } }, 'rateLimit: burst is 0, expected at least 1'],
  [{ failureBudget: { failures: NaN } }, 'failureBudget: failures is NaN, expected at least 1'],
  [
    { apiKey: undefined, wallet: '0x123' },
    'wallet is not a signer, such as privateKeySigner(key).',
  ],
  [{ fetch: 5 }, ''],
  [{ baseUrl: 5 }, 'The base URL is "5"'],
])('createFarebox rejects %o with a FareboxError', (options, message) => {
  expect(() => createFarebox({ baseUrl, apiKey: 'key-1', ...options })).toThrow(
    expect.objectContaining({
      name: 'FareboxError',
      code: 'configuration',
      message: expect.stringContaining(message) as unknown,
    }),
  )
})

it('balance and transactions without a wallet say what to do', async () => {
  const { farebox, sent } = createScripted([])
  expect(await catchError(farebox.balance())).toMatchObject({
    code: 'configuration',
    message: 'No wallet. Pass one to createFarebox. The balance of an API key is in getRateLimits.',
  })
  expect(await catchError(farebox.transactions().next())).toMatchObject({
    code: 'configuration',
    message: 'No wallet. Pass one to createFarebox, or an address.',
  })
  expect(sent).toEqual([])
})

it('createFarebox accepts a URL object as base URL', async () => {
  const { farebox, sent } = createScripted([() => Response.json({ data: [], object: 'list' })], {
    baseUrl: new URL(baseUrl),
  })
  await farebox.listModels()
  expect(sent[0]?.url).toBe(`${baseUrl}/models`)
})

it.each<[string, object, string]>([
  ['apikey', { apikey: 'k' }, 'createFarebox has no option "apikey". Did you mean "apiKey"?'],
  ['baseURL', { baseURL: 'u' }, 'Did you mean "baseUrl"?'],
  ['timeout', { timeout: 1 }, 'Did you mean "timeoutMs"?'],
  [
    'payments.topUp.amountUSD',
    { payments: { topUp: { amountUSD: 5 } } },
    'createFarebox: payments: topUp has no option "amountUSD". Did you mean "amountUsd"?',
  ],
  [
    'retry.attemps',
    { retry: { attemps: 5 } },
    'createFarebox: retry has no option "attemps". Did you mean "attempts"?',
  ],
  [
    'failureBudget.window',
    { failureBudget: { window: 5 } },
    'createFarebox: failureBudget has no option "window". Did you mean "windowMs"?',
  ],
  [
    'rateLimit.shared',
    { rateLimit: { shared: {} } },
    'createFarebox: rateLimit has no option "shared". It has caller, store, ',
  ],
  ['maxRetries', { maxRetries: 1 }, 'It has baseUrl, apiKey, wallet, '],
  ['apiKey', { apiKey: 5 }, 'apiKey is not a string, or a function that returns one.'],
  ['fetch', { fetch: 5 }, 'fetch is not a function.'],
  ['onEvent', { onEvent: {} }, 'onEvent is not a function.'],
  ['retry', { retry: true }, 'createFarebox: retry takes an object of options.'],
  ['rateLimit', { rateLimit: 5 }, 'createFarebox: rateLimit takes an object of options.'],
  ['downloadOrigins', { downloadOrigins: 5 }, 'downloadOrigins has 5. Expected an array of URLs.'],
])('createFarebox rejects %s', (_name, options, message) => {
  expect(() => createFarebox({ baseUrl, ...options })).toThrow(message)
  expect(() =>
    createFarebox({
      baseUrl,
      ...Object.fromEntries(Object.keys(options).map((name) => [name, undefined])),
    }),
  ).not.toThrow()
})

it.each([null, 5, baseUrl, [baseUrl]])('createFarebox rejects %j as its options', (options) => {
  expect(() => createFarebox(options as object)).toThrow(
    'createFarebox takes an object of options.',
  )
})

it('an API key in a page needs dangerouslyAllowBrowser', () => {
  const page = { window: { document: {} }, navigator: {} }
  const before = Object.keys(page).map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  )
  for (const [name, value] of Object.entries(page))
    Object.defineProperty(globalThis, name, { value, configurable: true })
  try {
    expect(() => createFarebox({ baseUrl, apiKey: 'k' })).toThrow('dangerouslyAllowBrowser')
    createFarebox({ baseUrl, apiKey: 'k', dangerouslyAllowBrowser: true })
    createFarebox({ baseUrl })
  } finally {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else Reflect.deleteProperty(globalThis, name)
    }
  }
})

it('a file is fetched from allowed origins only, and redirects are not followed', async () => {
  const completed = () =>
    Response.json({ status: 'COMPLETED', average_execution_time: 1, execution_duration: 1 })
  const queuedVideo = { model: 'm', queue_id: 'q', download_url: 'http://169.254.169.254/latest' }
  const guarded = createScripted([completed, () => new Response('secret')])
  expect(await catchError(guarded.farebox.generateVideo(queuedVideo))).toMatchObject({
    code: 'download_origin',
    operation: 'retrieveVideo',
  })
  expect(guarded.sent).toHaveLength(1)

  const moved = () =>
    new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } })
  const own = createScripted([completed, moved])
  const error = await catchError(
    own.farebox.generateVideo({ ...queuedVideo, download_url: 'https://api.example.test/v.mp4' }),
  )
  expect([error.code, own.sent[1]?.init.redirect]).toEqual(['http_302', 'manual'])
  expect(error.message).toContain("downloadOrigins: 'any'")

  const open = createScripted([completed, () => new Response('clip')], { downloadOrigins: 'any' })
  expect(await (await open.farebox.generateVideo(queuedVideo)).text()).toBe('clip')
  expect(open.sent[1]?.init.redirect).toBe('follow')
  expect(() => createFarebox({ baseUrl, downloadOrigins: ['files'] })).toThrow(
    'downloadOrigins has "files". Expected an array of URLs.',
  )
})
