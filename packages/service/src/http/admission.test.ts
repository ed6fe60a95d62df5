import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  adminKey,
  inlineParser,
  createWallet,
  startService,
  type Harness,
} from '../../test/harness.js'
import { createMemoryLimits } from '../domain/limits/limits.js'
import { contractCatalogue } from '../domain/models/catalogue.js'
import { TextParseError } from '../domain/text/text-errors.js'
import { createAdmission } from './admission.js'
import type { RequestContext } from './request-context.js'

let farebox: Harness
let start: number
beforeAll(async () => void (farebox = await startService()))
// a day later nothing of the test before is left
beforeEach(() => {
  start = farebox.clock.time = Date.parse(
    new Date(farebox.clock.time + 86_400_000).toISOString().replace(/T.*/, 'T03:04:05.000Z'),
  )
})
afterAll(() => farebox.service.close())

const fail = (from: string) => farebox.call(undefined, '/nope', { from })
const discover = (from: string) => farebox.call('topUp', '/x402/top-up', { method: 'POST', from })

async function repeat(
  times: number,
  work: () => Promise<{ readonly status: number }>,
): Promise<number[]> {
  const statuses = []
  for (let time = 0; time < times; time++) statuses.push((await work()).status)
  return statuses
}

describe('the abuse guard', () => {
  it('blocks a caller for 30 s after more than 20 failures within 30 s', async () => {
    expect(await repeat(21, () => fail('a'))).toEqual(Array.from({ length: 21 }, () => 404))
    const blocked = await fail('a')
    expect([blocked.status, blocked.json['error'], blocked.headers.get('retry-after')]).toEqual([
      429,
      'Too many failed requests. Wait 30s and try again.',
      '30',
    ])
    farebox.clock.time += 29_999
    expect((await discover('a')).status).toBe(429)
    farebox.clock.time += 1
    expect((await discover('a')).status).toBe(402)
  })

  it('does not count its own 429 responses', async () => {
    await repeat(21, () => fail('a'))
    await repeat(100, () => fail('a'))
    farebox.clock.time += 30_000
    expect((await fail('a')).status).toBe(404)
  })

  it('lets 20 failures pass, and forgets those that are 30 s old', async () => {
    await repeat(20, () => fail('a'))
    farebox.clock.time += 30_001
    expect(await repeat(20, () => fail('a'))).not.toContain(429)
    expect((await discover('a')).status).toBe(402)
  })

  it('does not affect other callers', async () => {
    await repeat(22, () => fail('a'))
    expect((await fail('b')).status).toBe(404)
  })

  it('distinguishes callers behind a trusted proxy, and ignores forwarded addresses from anyone else', async () => {
    const proxied = await startService({ trustedProxies: ['10.0.0.0/8'] })
    const call = (from: string, client: string) =>
      proxied.call(undefined, '/nope', { from, headers: { 'x-forwarded-for': client } })
    expect(await repeat(22, () => call('10.0.0.1', '1.1.1.1, 198.51.100.1'))).toContain(429)
    expect((await call('10.0.0.2', '198.51.100.1')).status).toBe(429)
    expect((await call('10.0.0.1', '198.51.100.2')).status).toBe(404)
    let last = 0
    expect(await repeat(22, () => call('198.51.100.3', `203.0.113.${last++}`))).toContain(429)
    await proxied.service.close()
  })

  it('does not count requests for top-up offers', async () => {
    for (let minute = 0; minute < 3; minute++) {
      await repeat(10, () => discover('a'))
      farebox.clock.time += 61_000
    }
    expect((await discover('a')).status).toBe(402)
  })

  it('does not count what the caller did not cause', async () => {
    const overloaded = () =>
      Promise.reject(
        new TextParseError('overloaded', 'The text parser has too many files waiting.'),
      )
    const busy = await startService({ textParser: { ...inlineParser, parse: overloaded } })
    const broken = await startService({
      textParser: { ...inlineParser, parse: () => Promise.reject(new Error('broken')) },
    })
    for (const [harness, expected] of [
      [busy, 429],
      [broken, 500],
    ] as const) {
      const wallet = await harness.richWallet(1)
      const parse = async () => {
        const body = new FormData()
        body.append('file', new Blob(['x']), 'a')
        return harness.call('parseText', '/augment/text-parser', {
          method: 'POST',
          body,
          headers: await harness.signIn(wallet),
        })
      }
      expect(new Set(await repeat(30, parse))).toEqual(new Set([expected]))
      const path = `/x402/balance/${wallet.address}`
      expect(
        (await harness.call('getBalance', path, { headers: await harness.signIn(wallet) })).status,
      ).toBe(200)
      await harness.service.close()
    }
  })

  it('does not count requests over a rate limit, nor the first step of a handshake', async () => {
    await repeat(40, () => discover('a'))
    const unpaid = () =>
      farebox.call('createSpeech', '/audio/speech', { method: 'POST', body: '{}', from: 'a' })
    expect(new Set(await repeat(30, unpaid))).toEqual(new Set([402]))
    expect((await fail('a')).status).toBe(404)
  })

  it('does not count a 402 that asks a wallet for a payment', async () => {
    const wallet = createWallet()
    const parse = async () => {
      const body = new FormData()
      body.append('file', new Blob(['x']), 'a')
      return farebox.call('parseText', '/augment/text-parser', {
        method: 'POST',
        body,
        headers: await farebox.signIn(wallet),
      })
    }
    expect(new Set(await repeat(25, parse))).toEqual(new Set([402]))
    const path = `/x402/balance/${wallet.address}`
    expect(
      (await farebox.call('getBalance', path, { headers: await farebox.signIn(wallet) })).status,
    ).toBe(200)
  })

  it('skips verification for a blocked wallet, and from an address whose sign-ins were rejected', async () => {
    const wallet = createWallet()
    const path = `/x402/balance/${wallet.address}`
    const balance = (headers: Readonly<Record<string, string>>, from: string) =>
      farebox.call('getBalance', path, { headers, from })
    const used = await farebox.signIn(wallet)
    await balance(used, 'a')
    expect(await repeat(21, () => balance(used, 'thief'))).not.toContain(429)
    const fresh = await farebox.signIn(wallet)
    const blocked = await balance(fresh, 'thief')
    expect([blocked.status, blocked.headers.get('retry-after')]).toEqual([429, '30'])
    expect(blocked.headers.get('x-ratelimit-reset-requests')).toBe(String(start / 1000 + 30))
    // its nonce was not used up
    expect((await balance(fresh, 'b')).status).toBe(200)
    expect((await fail('thief')).status).toBe(404)

    const stranger = `/x402/balance/${createWallet().address}`
    const ask = async () =>
      farebox.call('getBalance', stranger, { headers: await farebox.signIn(wallet), from: 'b' })
    expect(await repeat(21, ask)).not.toContain(429)
    const unsigned = Buffer.from(
      JSON.stringify({ address: wallet.address.toLowerCase() }),
    ).toString('base64')
    expect((await balance({ 'sign-in-with-x': unsigned }, 'c')).status).toBe(429)
    farebox.clock.time += 30_000
    expect((await balance({ 'sign-in-with-x': unsigned }, 'c')).status).toBe(401)
    expect((await balance(await farebox.signIn(wallet), 'b')).status).toBe(200)
  })

  it('counts a wallet separately, wherever it calls from', async () => {
    const wallet = createWallet()
    const stranger = createWallet().address
    const ask = async (from: string) =>
      farebox.call('getBalance', `/x402/balance/${stranger}`, {
        headers: await farebox.signIn(wallet),
        from,
      })
    await Promise.all(Array.from({ length: 21 }, (_, index) => ask(`10.0.0.${index}`)))
    expect((await ask('10.9.9.9')).status).toBe(429)
  })

  it('does not block a wallet whose used messages are replayed by others', async () => {
    const wallet = createWallet()
    const path = `/x402/balance/${wallet.address}`
    const used = await farebox.signIn(wallet)
    await farebox.call('getBalance', path, { headers: used })
    expect(
      await repeat(22, () => farebox.call('getBalance', path, { headers: used, from: 'attacker' })),
    ).toContain(429)
    expect(
      (await farebox.call('getBalance', path, { headers: await farebox.signIn(wallet) })).status,
    ).toBe(200)
  })
})

describe('the scope of a block', () => {
  let admin: string
  let keys: Readonly<Record<'first' | 'second' | 'administrator', string>>
  beforeAll(async () => {
    admin = `Bearer ${adminKey}`
    const made = async (body: object) => {
      const response = await farebox.call('createApiKey', '/api_keys', {
        method: 'POST',
        body: JSON.stringify({ description: '', ...body }),
        headers: { authorization: admin, 'content-type': 'application/json' },
      })
      return (response.json['data'] as { readonly apiKey: string }).apiKey
    }
    keys = {
      first: await made({
        apiKeyType: 'INFERENCE',
        consumptionLimit: { usd: 0.000_001 },
        limitPeriod: 'LIFETIME',
      }),
      second: await made({ apiKeyType: 'INFERENCE' }),
      administrator: await made({ apiKeyType: 'ADMIN' }),
    }
  })
  const speak = async (key: string, input: string) =>
    farebox.call('createSpeech', '/audio/speech', {
      method: 'POST',
      body: JSON.stringify({ input, response_format: 'pcm', model: 'tts-kokoro' }),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
  const wrong = (key: string) =>
    farebox.call('listModels', '/models?type=smell', {
      headers: { authorization: `Bearer ${key}` },
    })
  const models = async (key: string) =>
    (await farebox.call('listModels', '/models', { headers: { authorization: `Bearer ${key}` } }))
      .status
  const administer = async (key: string) =>
    (
      await farebox.call('listApiKeys', '/api_keys', {
        headers: { authorization: `Bearer ${key}` },
      })
    ).status

  it('a key blocks only itself, not other keys of its account or administration', async () => {
    expect(await repeat(22, () => wrong(keys.first))).toEqual([...Array<number>(21).fill(400), 429])
    expect(await models(keys.first)).toBe(429)
    expect([await models(keys.second), await models(adminKey)]).toEqual([200, 200])
    expect([await administer(keys.administrator), await administer(adminKey)]).toEqual([200, 200])
    // nor a wallet, nor the address that it calls from
    const wallet = createWallet()
    expect(
      (
        await farebox.call('getBalance', `/x402/balance/${wallet.address}`, {
          headers: await farebox.signIn(wallet),
        })
      ).status,
    ).toBe(200)
    expect((await discover('192.0.2.1')).status).toBe(402)
  })

  it('the keys of an account together block it at a higher limit, but never its administration', async () => {
    for (const key of [keys.first, keys.second, keys.administrator, adminKey])
      await repeat(20, () => wrong(key))
    expect(await models(keys.second)).toBe(200)
    farebox.clock.time += 15_000
    for (const description of ['third', 'fourth']) {
      const response = await farebox.call('createApiKey', '/api_keys', {
        method: 'POST',
        body: JSON.stringify({ description, apiKeyType: 'INFERENCE' }),
        headers: { authorization: admin, 'content-type': 'application/json' },
      })
      await repeat(20, () => wrong((response.json['data'] as { readonly apiKey: string }).apiKey))
    }
    expect(await models(keys.second)).toBe(429)
    expect([await administer(keys.administrator), await administer(adminKey)]).toEqual([200, 200])
  })

  it('a reached spending limit, like an empty account, blocks nobody', async () => {
    const statuses = await repeat(25, () => speak(keys.first, 'Mind the gap'))
    expect(new Set(statuses)).toEqual(new Set([402]))
    expect(await models(keys.first)).toBe(200)
  })

  it('failures of administration block administration with that key, and not inference', async () => {
    const missing = '00000000-0000-4000-8000-000000000000'
    const fail = () =>
      farebox.call('getApiKey', `/api_keys/${missing}`, {
        headers: { authorization: `Bearer ${keys.administrator}` },
      })
    expect(await repeat(22, fail)).toContain(429)
    expect([
      await administer(keys.administrator),
      await administer(adminKey),
      await models(keys.administrator),
    ]).toEqual([429, 200, 200])
  })
})

describe('rate limits', () => {
  it('count requests of a class, and return what is left and when half of it is free again in headers', async () => {
    const headers = async () => {
      const response = await discover('a')
      return ['limit', 'remaining', 'reset'].map((what) =>
        Number(response.headers.get(`x-ratelimit-${what}-requests`)),
      )
    }
    const second = start / 1000
    expect(await headers()).toEqual([10, 9, second + 61])
    farebox.clock.time += 10_000
    expect(await headers()).toEqual([10, 8, second + 61])
    await repeat(3, () => discover('a'))
    farebox.clock.time += 10_000
    expect(await headers()).toEqual([10, 4, second + 61])
    expect(await headers()).toEqual([10, 3, second + 71])
  })

  it('return 429 beyond the limit, until the reset time', async () => {
    expect(await repeat(10, () => discover('a'))).not.toContain(429)
    farebox.clock.time += 20_500
    const rejected = await discover('a')
    expect([rejected.status, rejected.json['code'], rejected.headers.get('retry-after')]).toEqual([
      429,
      'RATE_LIMIT_EXCEEDED',
      '41',
    ])
    expect(rejected.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    expect(rejected.headers.get('x-ratelimit-reset-requests')).toBe(String(start / 1000 + 61))
    farebox.clock.time = start + 60_999
    expect((await discover('a')).status).toBe(429)
    farebox.clock.time = start + 61_000
    expect((await discover('a')).status).toBe(402)
  })

  it('do not allow twice the limit around a minute boundary', async () => {
    farebox.clock.time = start + 54_000
    expect(await repeat(10, () => discover('a'))).not.toContain(429)
    farebox.clock.time = start + 55_001
    expect(await repeat(10, () => discover('a'))).toEqual(Array.from({ length: 10 }, () => 429))
  })

  it('return the end of the block to a blocked caller', async () => {
    await repeat(21, () => fail('a'))
    expect((await fail('a')).headers.get('x-ratelimit-reset-requests')).toBe(
      String(start / 1000 + 30),
    )
  })

  it('are 30 a minute for balances and 20 for transactions, counted separately', async () => {
    const wallet = createWallet()
    const balance = async () =>
      farebox.call('getBalance', `/x402/balance/${wallet.address}`, {
        headers: await farebox.signIn(wallet),
      })
    const transactions = async () =>
      farebox.call('listTransactions', `/x402/transactions/${wallet.address}`, {
        headers: await farebox.signIn(wallet),
      })
    expect((await repeat(31, balance)).filter((status) => status === 200)).toHaveLength(30)
    expect((await repeat(21, transactions)).filter((status) => status === 200)).toHaveLength(20)
  })

  it('return seconds for tokens', async () => {
    const { headers } = await discover('a')
    expect(
      ['limit', 'remaining', 'reset'].map((what) => headers.get(`x-ratelimit-${what}-tokens`)),
    ).toEqual(['1000000', '1000000', '61'])
  })
})

it('a failed token correction leaves the tokens reserved, and does not fail the request', async () => {
  const limits = createMemoryLimits()
  const admission = createAdmission({
    limits: { ...limits, adjust: async () => Promise.reject(new Error('no database')) },
    catalogue: contractCatalogue,
    now: () => start,
    onExceeded: async () => undefined,
  })
  const requestContext: RequestContext = {
    requestId: 'r',
    callerId: 'key:a',
    caller: { kind: 'anonymous' },
    rateTier: 'default',
  }
  const { settle } = await admission.reserve(requestContext, { tier: 'S', tokens: 1_000 })
  await settle(10)
  expect(requestContext.quota).toMatchObject({ tokenLimit: 750_000, remainingTokens: 749_000 })
})
