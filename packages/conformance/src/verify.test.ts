import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { deepTest, sampleCases } from '@farebox/testing/rounds'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { inlineParser } from '../../service/test/harness.js'
import { createServer } from '../../service/src/platform/server/create-server.js'
import { createService, type Service } from '../../service/src/app/create-service.js'
import { openPglite } from '../../service/src/platform/database/pglite.js'
import { must, type Result } from './check.js'
import { createProbe } from './probe.js'
import type { Check } from './subject.js'
import { checks, verify, type VerifyOptions } from './verify.js'

/** Does something else than the service, or the same. */
type Fault = (
  request: Request,
  response: (request: Request) => Promise<Response>,
) => Promise<Response>

const apiKey = 'verify-test-key'
let service: Service
let server: Server
let baseUrl: string
let fault: Fault | undefined
let run = 0
/** How far the clock of service and checks is ahead. A wait for a limit only moves it. */
let aheadMs = 0
const now = () => Date.now() + aheadMs
const wait: VerifyOptions['wait'] = async (ms) => {
  if (ms < 5000) await sleep(ms)
  else aheadMs += ms
}

beforeAll(async () => {
  const response = (request: Request) => service.fetch(request, { remoteAddress: `192.0.2.${run}` })
  server = createServer((request) =>
    fault === undefined ? response(request) : fault(request, response),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  service = await createService({
    origin,
    adminKey: apiKey,
    database: await openPglite(),
    textParser: inlineParser,
    now,
  })
  baseUrl = `${origin}/api/v1`
})
afterAll(async () => {
  server.close()
  server.closeAllConnections()
  await service.close()
})

/** As another caller each time, whose failures are its own. */
async function runChecks(
  only: (id: string) => boolean,
  change?: Fault,
): Promise<readonly Result[]> {
  run++
  fault = change
  // what is paid for needs the top-up before it
  const chosen = checks.filter(
    ({ id }) =>
      only(id) ||
      (id === 'top-up.paid' &&
        /^(?:parse|ledger\.even|speech|video|chat|embedding|image|transcription)/.test(
          String(checks.find((one) => only(one.id))?.id),
        )),
  )
  return collectResults({ baseUrl, apiKey, topUpUsd: 5, payInline: true, checks: chosen })
}

async function collectResults(options: VerifyOptions): Promise<readonly Result[]> {
  const found: Result[] = []
  for await (const result of verify({ now, wait, ...options })) found.push(result)
  return found
}

const hasPath = (request: Request, path: string) =>
  new URL(request.url).pathname.startsWith(`/api/v1${path}`)
/** Changes the JSON of the responses at a path. */
const edit =
  (path: string, change: (body: never) => unknown): Fault =>
  async (request, next) => {
    const response = await next(request)
    if (!hasPath(request, path) || response.headers.get('content-type') !== 'application/json')
      return response
    return Response.json(change((await response.json()) as never), {
      status: response.status,
      headers: response.headers,
    })
  }
/** Answers a rejection at a path as if all were well. */
const admit =
  (path: string, body: unknown, statuses: readonly number[] = [400, 401, 403]): Fault =>
  async (request, next) => {
    const response = await next(request)
    return hasPath(request, path) && statuses.includes(response.status)
      ? Response.json(body, { headers: response.headers })
      : response
  }
/** Changes the text of the responses at a path. */
const editText =
  (path: string, change: (text: string) => string): Fault =>
  async (request, next) => {
    const response = await next(request)
    return hasPath(request, path) ? new Response(change(await response.text()), response) : response
  }
const without =
  (header: string): Fault =>
  async (request, response) => {
    const headers = new Headers(request.headers)
    headers.delete(header)
    return response(new Request(request, { headers }))
  }
const wallet = '0x1111111111111111111111111111111111111111'
const rich = {
  success: true,
  data: {
    walletAddress: wallet,
    balanceUsd: 5,
    canConsume: true,
    minimumTopUpUsd: 5,
    suggestedTopUpUsd: 10,
  },
}
const pagination = { limit: 50, offset: 0, hasMore: false }
const ledger = {
  success: true,
  data: { walletAddress: wallet, currentBalance: 0, transactions: [], pagination },
}

let payments = 0
const faults: readonly (readonly [id: string, what: string, Fault])[] = [
  [
    'models.list',
    'a model twice',
    edit('/models', ({ data, ...more }: { data: object[] }) => ({
      ...more,
      data: [...data, data[0]],
    })),
  ],
  ['models.list', 'an undeclared status', async () => Response.json({}, { status: 202 })],
  ['models.list', 'another media type', async () => new Response('<p>Hello')],
  [
    'models.list',
    'half a response',
    async () => new Response('{"object": "li', { headers: { 'content-type': 'application/json' } }),
  ],
  ['models.list', 'a body of another shape', edit('/models', () => ({ object: 'list' }))],
  [
    'models.type',
    'a filter that is not heeded',
    (request, response) => response(new Request(request.url.replace('type=tts', 'type=video'))),
  ],
  ['models.one', 'another model', edit('/models/', (model: object) => ({ ...model, id: 'other' }))],
  [
    'models.unknown',
    'any model that is asked for',
    (request, response) =>
      response(new Request(request.url.replace(/models\/.*/, 'models/tts-kokoro'))),
  ],
  [
    'models.voices',
    'no voices',
    edit('/models/', (model: { model_spec: object }) => ({
      ...model,
      model_spec: { ...model.model_spec, voices: [] },
    })),
  ],
  [
    'headers.limits',
    'a header left out',
    async (request, next) => {
      const response = await next(request)
      response.headers.delete('x-ratelimit-reset-tokens')
      return response
    },
  ],
  [
    'access.none',
    'anybody let in',
    (request, response) =>
      response(
        new Request(request, {
          headers: { ...Object.fromEntries(request.headers), authorization: `Bearer ${apiKey}` },
        }),
      ),
  ],
  ['access.wrong-key', 'any key let in', admit('/api_keys/rate_limits', {})],
  ['access.evm', 'credit that nobody paid for', edit('/x402/balance', () => rich)],
  [
    'access.solana',
    'no Solana wallets',
    async (request, response) => (
      await response(request),
      Response.json({ error: 'No.' }, { status: 401 })
    ),
  ],
  ['access.legacy-header', 'the former name forgotten', without('x-sign-in-with-x')],
  ['access.foreign', "another's ledger shown", admit('/x402/transactions', ledger)],
  ['access.forged', 'any signature taken', admit('/x402/balance', rich)],
  ['access.expired', 'old messages taken', admit('/x402/balance', rich)],
  ['access.other-domain', 'messages for others taken', admit('/x402/balance', rich)],
  [
    'ledger.empty',
    'other pages',
    edit('/x402/transactions', ({ data }: { data: { pagination: object } }) => ({
      success: true,
      data: { ...data, pagination: { ...data.pagination, limit: 20 } },
    })),
  ],
  ['ledger.range', 'pages of any size', admit('/x402/transactions', ledger)],
  ['wallet.poor', 'no instructions', edit('/augment/text-parser', () => ({ error: 'No.' }))],
  [
    'wallet.poor',
    'work for nothing',
    admit('/augment/text-parser', { text: 'Tram fares', tokens: 3 }, [402]),
  ],
  [
    'top-up.offers',
    'a dollar at least',
    edit('/x402/top-up', (body: { accepts: object[] }) => ({
      ...body,
      accepts: body.accepts.map((offer) => ({ ...offer, amount: '1000000' })),
    })),
  ],
  [
    'top-up.offers',
    'another token',
    edit('/x402/top-up', (body: { accepts: object[] }) => ({
      ...body,
      accepts: body.accepts.map((offer) => ({ ...offer, asset: wallet })),
    })),
  ],
  [
    'top-up.paid',
    'each send credited',
    edit('/x402/top-up', (body: { data: object }) =>
      'accepts' in body ? body : { ...body, data: { ...body.data, newBalance: 5 * ++payments } },
    ),
  ],
  [
    'payment.inline',
    'a payment that any request takes',
    async (request, next) => {
      const response = await next(request)
      return response.status === 409
        ? new Response(new Uint8Array(64), { headers: { 'content-type': 'audio/mpeg' } })
        : response
    },
  ],
  ['payment.inline', 'a payment that is not taken', without('payment-signature')],
  [
    'payment.inline',
    'each send credited',
    edit('/x402/balance', ({ data, ...more }: { data: { balanceUsd: number } }) => ({
      ...more,
      data: { ...data, balanceUsd: data.balanceUsd + payments++ },
    })),
  ],
  [
    'keys.limits',
    'no access',
    edit('/api_keys/rate_limits', ({ data }: { data: object }) => ({
      data: { ...data, accessPermitted: false },
    })),
  ],
  ['keys.limits-log', 'another shape', edit('/api_keys/rate_limits/log', () => ({ data: 'none' }))],
  [
    'keys.create',
    'a key of another type',
    edit('/api_keys', ({ data }: { data: object }) => ({
      success: true,
      data: { ...data, apiKeyType: 'ADMIN' },
    })),
  ],
  [
    'keys.life',
    'a revoked key that works',
    async (request, response) =>
      request.method === 'DELETE'
        ? response(new Request(request.url, { headers: request.headers }))
        : response(request),
  ],
  [
    'keys.life',
    'the old secret kept',
    async (request, response) => {
      if (!request.url.endsWith('/rotate')) return response(request)
      const body = JSON.stringify({ graceSeconds: 60 })
      return response(new Request(request.url, { method: 'POST', headers: request.headers, body }))
    },
  ],
  [
    'parse.json',
    'no tokens',
    edit('/augment/text-parser', (body: object) => ({ ...body, tokens: 0 })),
  ],
  [
    'parse.text',
    'JSON all the same',
    async (request, response) => (
      await response(request),
      Response.json({ text: 'Tram fares', tokens: 3 })
    ),
  ],
  ['parse.idempotency', 'each send charged', without('idempotency-key')],
  [
    'ledger.even',
    'a balance that does not add up',
    edit(
      '/x402/transactions',
      ({ data }: { data: { transactions: { balanceAfter: number }[] } }) => ({
        success: true,
        data: {
          ...data,
          transactions: data.transactions.map((entry, index) => ({
            ...entry,
            balanceAfter: entry.balanceAfter + index,
          })),
        },
      }),
    ),
  ],
  [
    'ledger.even',
    'the credit not told',
    async (request, next) => {
      const response = await next(request)
      response.headers.delete('x-balance-remaining')
      return response
    },
  ],
  [
    'speech.formats',
    'one format for all',
    async (request, next) => {
      const response = await next(request)
      return hasPath(request, '/audio/speech')
        ? new Response(new Uint8Array(64), { headers: response.headers })
        : response
    },
  ],
  [
    'speech.limits',
    'what is rejected taken',
    async (request, next) => {
      const response = await next(request)
      return response.status === 400
        ? new Response(new Uint8Array(64), { headers: { 'content-type': 'audio/mpeg' } })
        : response
    },
  ],
  [
    'video.whole',
    'no video in the file',
    async (request, next) => {
      const response = await next(request)
      return response.headers.get('content-type') === 'video/mp4'
        ? new Response(new Uint8Array(64), { headers: { 'content-type': 'video/mp4' } })
        : response
    },
  ],
  ['video.whole', 'a price of nothing', edit('/video/quote', () => ({ quote: 0 }))],
  [
    'chat.whole',
    'more tokens than were charged',
    edit(
      '/chat/completions',
      ({ usage, ...more }: { usage: Record<'prompt_tokens' | 'total_tokens', number> }) => ({
        ...more,
        usage: {
          ...usage,
          prompt_tokens: 500 + usage.prompt_tokens,
          total_tokens: 500 + usage.total_tokens,
        },
      }),
    ),
  ],
  [
    'chat.whole',
    'one choice for two',
    edit('/chat/completions', ({ choices, ...more }: { choices: object[] }) => ({
      ...more,
      choices: choices.slice(1),
    })),
  ],
  [
    'chat.stream',
    'an end without [DONE]',
    editText('/chat/completions', (text) => text.replace('data: [DONE]\n\n', '')),
  ],
  [
    'chat.stream',
    'usage for all',
    async (request, response) => {
      if (!hasPath(request, '/chat/completions')) return response(request)
      const body = { ...(await request.json()), stream_options: { include_usage: true } }
      const { method, headers } = request
      return response(new Request(request.url, { method, headers, body: JSON.stringify(body) }))
    },
  ],
  ['chat.idempotency', 'each send done again', without('idempotency-key')],
  ['chat.input', 'an error without a reason', edit('/chat/completions', () => ({ error: 'No.' }))],
  [
    'embedding.vectors',
    'other vectors as base64',
    edit('/embeddings', ({ data, ...more }: { data: { embedding: unknown }[] }) => ({
      ...more,
      data: data.map((one) =>
        typeof one.embedding === 'string' ? { ...one, embedding: 'AAAAAA==' } : one,
      ),
    })),
  ],
  [
    'image.whole',
    'no image in the file',
    async (request, next) => {
      const response = await next(request)
      return response.headers.get('content-type') === 'image/png'
        ? new Response(new Uint8Array(64), { headers: { 'content-type': 'image/png' } })
        : response
    },
  ],
  [
    'image.whole',
    'no image in the response',
    edit('/images/generations', (body: object) => ({ ...body, data: [{ b64_json: 'AAAA' }] })),
  ],
  [
    'transcription.formats',
    'JSON all the same',
    async (request, next) => {
      const response = await next(request)
      return hasPath(request, '/audio/transcriptions') ? Response.json({ text: '' }) : response
    },
  ],
]

describe('verify', () => {
  deepTest('passes the service in every point', async () => {
    const found = await runChecks(() => true)
    expect(found.filter(({ status }) => status !== 'passed')).toEqual([])
    expect(found.length).toBe(checks.length)
  })

  it.each(sampleCases(faults))('finds in %s: %s', async (id, _what, change) => {
    const [found] = (await runChecks((one) => one === id, change)).filter(
      (result) => result.id === id,
    )
    expect(found).toMatchObject({
      id,
      status: 'failed',
      expected: expect.any(String) as string,
      found: expect.any(String) as string,
    })
  })

  it('has as many checks as its README says', () => {
    expect(readFileSync(new URL('../README.md', import.meta.url), 'utf8')).toContain(
      `${checks.length} checks`,
    )
  })

  it('has a fault for every check: each can fail', () => {
    expect(checks.map(({ id }) => id).filter((id) => !faults.some(([one]) => one === id))).toEqual(
      [],
    )
  })

  it('skips what it has no credential for, and names the option that is missing', async () => {
    const found = await collectResults({
      baseUrl,
      checks: checks.filter(({ id }) => /^(?:keys|parse|top-up\.paid|payment)/.test(id)),
    })
    expect(new Set(found.map(({ status }) => status))).toEqual(new Set(['skipped']))
    expect(Object.fromEntries(found.map(({ id, needs }) => [id, needs]))).toMatchObject({
      'keys.limits': 'apiKey',
      'parse.json': 'spendUsd',
      'top-up.paid': 'topUpUsd',
      'payment.inline': 'payInline',
    })
  })

  it('spends no more than it may', async () => {
    const chosen = checks.filter(({ id }) => ['parse.json', 'parse.text'].includes(id))
    const [first, second] = await collectResults({
      baseUrl,
      apiKey,
      spendUsd: 0.015,
      checks: chosen,
    })
    expect(first).toMatchObject({ id: 'parse.json', status: 'passed' })
    expect(second).toMatchObject({
      status: 'skipped',
      reason: 'it costs 0.01 USD, and 0.005000 USD are left to spend',
    })
  })

  it('runs the checks of its user, over a fetch of its user', async () => {
    const urls: string[] = []
    const own: Check = {
      id: 'own.price',
      title: 'each model names its price',
      rule: 'our price list',
      run: async ({ probe }) => {
        const { json } = await probe.call('listModels', 200)
        must(false, 'a price', json)
      },
    }
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init)
      urls.push(request.url)
      return service.fetch(request)
    }
    const [result] = await collectResults({
      baseUrl: 'https://farebox.example/api/v1/',
      fetch,
      checks: [own],
    })
    expect(result).toMatchObject({
      id: 'own.price',
      rule: 'our price list',
      status: 'failed',
      expected: 'a price',
    })
    expect(urls).toEqual(['https://farebox.example/api/v1/models'])
  })

  it.each<[string, Partial<VerifyOptions>, string]>([
    [
      'no URL',
      { baseUrl: 'example.com' },
      'The base URL is "example.com"; expected one like http://127.0.0.1:4020/api/v1.',
    ],
    ['a budget without a credential', { spendUsd: 1 }, 'Set apiKey, wallet or topUpUsd.'],
    [
      'a budget that is no number',
      { spendUsd: Number.NaN, apiKey },
      'spendUsd is NaN; expected a number of USD, 0 or more.',
    ],
  ])('rejects %s before it sends anything', async (_what, options, message) => {
    const send = vi.fn<typeof fetch>()
    await expect(collectResults({ baseUrl, fetch: send, ...options })).rejects.toThrow(message)
    expect(send).not.toHaveBeenCalled()
  })

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController()
    const running = verify({ baseUrl, signal: stop.signal })
    await running.next()
    stop.abort(new Error('enough'))
    await expect(running.next()).rejects.toThrow('enough')
  })
})

describe('the probe', () => {
  it('waits out a limit that somebody else used up, and keeps below the limits of failures', async () => {
    const { signal } = new AbortController()
    const waits: number[] = []
    let time = Date.parse('2026-01-02T03:04:05.000Z')
    let sends = 0
    const probe = createProbe({
      baseUrl: 'http://127.0.0.1:9/api/v1',
      serviceName: 'Farebox',
      signal,
      now: () => time,
      wait: async (ms) => {
        waits.push(ms)
        time += ms
      },
      fetch: async () => {
        if (++sends === 1)
          return Response.json(
            { error: 'Slow down.' },
            { status: 429, headers: { 'retry-after': '7' } },
          )
        return Response.json({ error: 'No.' }, { status: 401 })
      },
    })
    for (let time = 0; time < 18; time++) await probe.call('getRateLimits', 401)
    // the 429 is the first of the failures that the service counts, and 7.5 s older than the next
    expect(waits).toEqual([7500, 31_000 - 7500])
  })
})
