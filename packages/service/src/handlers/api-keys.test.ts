import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminKey, startService, type TestResponse, type Harness } from '../../test/harness.js'
import { purge } from '../domain/retention.js'

let farebox: Harness
beforeAll(async () => void (farebox = await startService()))
// each test has minutes of its own
beforeEach(() => void (farebox.clock.time += 86_400_000))
afterAll(() => farebox.service.close())

const asAdmin = { authorization: `Bearer ${adminKey}` }
const create = (body: object, headers: Readonly<Record<string, string>> = asAdmin) =>
  farebox.call('createApiKey', '/api_keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ apiKeyType: 'INFERENCE', description: 'test', ...body }),
  })
const readData = (response: TestResponse) =>
  response.json['data'] as { readonly apiKey: string; readonly id: string } & Record<
    string,
    unknown
  >
const toBearerHeader = (response: TestResponse) => ({
  authorization: `Bearer ${readData(response).apiKey}`,
})
const parse = (headers: Readonly<Record<string, string>>) => {
  const body = new FormData()
  body.set('file', new Blob(['hello']), 'a.txt')
  return farebox.call('parseText', '/augment/text-parser', { method: 'POST', headers, body })
}
const readLimits = async (headers: Readonly<Record<string, string>>) =>
  (await farebox.call('getRateLimits', '/api_keys/rate_limits', { headers })).json[
    'data'
  ] as Record<string, unknown>

describe('createApiKey', () => {
  it('creates a working key, and shows its secret only in this response', async () => {
    const made = await create({ description: 'Nightly' })
    expect(readData(made)).toEqual({
      apiKey: expect.stringMatching(/^fbx_[\w-]{43}$/) as string,
      apiKeyType: 'INFERENCE',
      consumptionLimit: {},
      limitPeriod: 'EPOCH',
      id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      description: 'Nightly',
    })
    expect((await parse(toBearerHeader(made))).status).toBe(200)
    const rows = JSON.stringify(
      await farebox.database.query('select k::text as row from api_key k'),
    )
    expect(rows).toContain('Nightly')
    expect(rows).not.toContain(readData(made).apiKey.slice(4))
  })

  it("spends the credit of its creator's account", async () => {
    const before = await farebox.ledger.balance('key:admin')
    await parse(toBearerHeader(await create({})))
    expect(await farebox.ledger.balance('key:admin')).toBe(before - 10_000n)
  })

  it('is for ADMIN keys', async () => {
    const inference = await create({})
    expect((await create({}, toBearerHeader(inference))).json).toMatchObject({
      error: expect.stringContaining('ADMIN') as string,
    })
    const admin = await create({ apiKeyType: 'ADMIN' })
    expect((await create({}, toBearerHeader(admin))).status).toBe(200)
  })

  it('creates a key that expires as requested', async () => {
    const made = await create({ expiresAt: new Date(farebox.clock.time + 60_000).toISOString() })
    expect((await parse(toBearerHeader(made))).status).toBe(200)
    farebox.clock.time += 60_000
    expect((await parse(toBearerHeader(made))).json).toMatchObject({
      code: 'AUTHENTICATION_FAILED_INACTIVE_KEY',
    })
  })

  it('rejects a past expiry, a negative limit and unknown fields', async () => {
    const faults = [
      { expiresAt: '2020-01-01T00:00:00Z' },
      { consumptionLimit: { usd: -1 } },
      { consumptionLimit: { usd: 1e-7 } },
      { apiKeyType: 'ROOT' },
      { description: 'x'.repeat(65) },
      { description: 'a\0b' },
    ]
    for (const fault of faults)
      expect((await create(fault)).status, JSON.stringify(fault)).toBe(400)
  })

  it('creates one key per Idempotency-Key, and never shows its secret again', async () => {
    const headers = { ...asAdmin, 'idempotency-key': 'one' }
    const both = await Promise.all([create({}, headers), create({}, headers)])
    const [first] = both.filter(({ status }) => status === 200)
    if (!first) throw new Error('No key was made')
    const { id, apiKey } = readData(first)
    const repeats = [...both.filter((response) => response !== first), await create({}, headers)]
    const other = await create({ description: 'x' }, headers)
    // every response is held against the contract
    expect(repeats.map(({ status, json }) => [status, json['code'], json['id']])).toEqual([
      [409, 'IDEMPOTENCY_IN_PROGRESS', undefined],
      [409, 'DONE_BEFORE', id],
    ])
    expect([other.status, other.json]).toEqual([
      409,
      { error: expect.any(String) as string, code: 'IDEMPOTENCY_CONFLICT' },
    ])
    for (const { text } of [...repeats, other]) expect(text).not.toContain(apiKey.slice(4, 24))
    // the secret does not follow from what is kept
    const again = await create({}, { ...asAdmin, 'idempotency-key': 'two' })
    expect(readData(again).apiKey).not.toBe(apiKey)
    expect((await parse(toBearerHeader(first))).status).toBe(200)
  })

  it('creates another key when an Idempotency-Key is reused after a week', async () => {
    const headers = { ...asAdmin, 'idempotency-key': 'weekly' }
    const first = await create({}, headers)
    farebox.clock.time += 7 * 86_400_000 + 1
    await purge(farebox.database, farebox.clock.time)
    const second = await create({}, headers)
    expect(second.status).toBe(200)
    expect(readData(second).id).not.toBe(readData(first).id)
    expect(readData(second).apiKey).not.toBe(readData(first).apiKey)
  })

  it('creates at most 20 keys a minute', async () => {
    const statuses = []
    for (let count = 0; count < 21; count++) statuses.push((await create({})).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429])
  })

  it('creates at most 500 active keys', async () => {
    await farebox.database.query(
      `insert into api_key (id, account_id, type, secret_hash, description, limit_period, created_at)
       select gen_random_uuid(), id, 'INFERENCE', 'fill' || n, '', 'EPOCH', now() from account, generate_series(1, 500) n where name = 'key:admin'`,
    )
    expect((await create({})).json).toMatchObject({ code: 'TOO_MANY_KEYS' })
    await farebox.database.query(
      `update api_key set expires_at = '2020-01-01' where secret_hash like 'fill%'`,
    )
    expect((await create({})).status).toBe(200)
  })
})

describe('consumption limits', () => {
  it('stop a key for its period, but not its account', async () => {
    const made = await create({ consumptionLimit: { usd: 0.02 }, limitPeriod: 'EPOCH' })
    expect(
      [await parse(toBearerHeader(made)), await parse(toBearerHeader(made))].map(
        ({ status }) => status,
      ),
    ).toEqual([200, 200])
    expect((await parse(toBearerHeader(made))).json).toMatchObject({
      code: 'API_KEY_USD_SPEND_LIMIT_EXCEEDED',
    })
    expect((await parse(asAdmin)).status).toBe(200)
    farebox.clock.time += 86_400_000
    expect((await parse(toBearerHeader(made))).status).toBe(200)
  })

  it('of a month last until the first of the next', async () => {
    farebox.clock.time = Date.parse('2026-03-30T23:00:00Z')
    const made = await create({ consumptionLimit: { usd: 0.01 }, limitPeriod: 'MONTH' })
    await parse(toBearerHeader(made))
    farebox.clock.time += 86_400_000
    expect((await parse(toBearerHeader(made))).status).toBe(402)
    farebox.clock.time += 3_600_000
    expect((await parse(toBearerHeader(made))).status).toBe(200)
  })

  it('of a lifetime never reset', async () => {
    const made = await create({ consumptionLimit: { usd: 0.01 }, limitPeriod: 'LIFETIME' })
    await parse(toBearerHeader(made))
    farebox.clock.time += 400 * 86_400_000
    expect((await parse(toBearerHeader(made))).status).toBe(402)
  })

  it('let exactly as many parallel requests through as they allow', async () => {
    const made = await create({ consumptionLimit: { usd: 0.05 } })
    const statuses = await Promise.all(
      Array.from({ length: 15 }, async () => (await parse(toBearerHeader(made))).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(5)
  })
})

describe('a key never exceeds the key that created it', () => {
  const readCode = async (response: TestResponse) => {
    const { status, json } = await parse(toBearerHeader(response))
    return status === 200 ? 200 : json['code']
  }
  const spent = 'API_KEY_USD_SPEND_LIMIT_EXCEEDED'

  it('in its requested limits', async () => {
    const end = new Date(farebox.clock.time + 60_000).toISOString()
    const parent = await create({
      apiKeyType: 'ADMIN',
      consumptionLimit: { usd: 0.01 },
      limitPeriod: 'MONTH',
      expiresAt: end,
    })
    const child = await create({ apiKeyType: 'ADMIN' }, toBearerHeader(parent))
    expect(readData(child)).toMatchObject({
      consumptionLimit: { usd: 0.01 },
      limitPeriod: 'MONTH',
      expiresAt: end,
    })
    for (const [field, beyond] of Object.entries({
      expiresAt: { expiresAt: new Date(farebox.clock.time + 60_001).toISOString() },
      consumptionLimit: { consumptionLimit: { usd: 0.02 }, limitPeriod: 'EPOCH' },
    })) {
      const rejected = await create(beyond, toBearerHeader(child))
      expect([rejected.status, Object.keys(rejected.json['details'] as object)]).toEqual([
        400,
        [field],
      ])
    }
    farebox.clock.time += 60_000
    for (const ended of [parent, child])
      expect(await readCode(ended)).toBe('AUTHENTICATION_FAILED_INACTIVE_KEY')
    expect((await create({}, toBearerHeader(child))).status).toBe(401)
  })

  it('in its spending, including siblings, children and earlier spending', async () => {
    const parent = await create({
      apiKeyType: 'ADMIN',
      consumptionLimit: { usd: 0.05 },
      limitPeriod: 'LIFETIME',
    })
    expect(await readCode(parent)).toBe(200)
    const [one, other] = [
      await create({ apiKeyType: 'ADMIN' }, toBearerHeader(parent)),
      await create({}, toBearerHeader(parent)),
    ]
    const grandchild = await create(
      { consumptionLimit: { usd: 0.02 }, limitPeriod: 'EPOCH' },
      toBearerHeader(one),
    )
    expect([
      await readCode(grandchild),
      await readCode(grandchild),
      await readCode(grandchild),
    ]).toEqual([200, 200, spent])
    expect([
      await readCode(other),
      await readCode(one),
      await readCode(other),
      await readCode(parent),
    ]).toEqual([200, 200, spent, spent])
    // the day's limit of the grandchild begins anew, that of the lifetime does not
    farebox.clock.time += 86_400_000
    expect([await readCode(grandchild), await readCode(one)]).toEqual([spent, spent])
    expect(await farebox.ledger.audit()).toEqual([])
  })

  it('even when all of its children spend concurrently', async () => {
    const parent = await create({ apiKeyType: 'ADMIN', consumptionLimit: { usd: 0.05 } })
    const children = await Promise.all(
      Array.from({ length: 5 }, () =>
        create({ consumptionLimit: { usd: 0.04 } }, toBearerHeader(parent)),
      ),
    )
    const codes = await Promise.all([...children, ...children, ...children].map(readCode))
    expect(codes.filter((code) => code === 200)).toHaveLength(5)
  })

  it('and passes its refunds on to its creator', async () => {
    const parent = await create({ apiKeyType: 'ADMIN', consumptionLimit: { usd: 0.01 } })
    const child = await create({}, toBearerHeader(parent))
    const body = new FormData()
    body.set('file', new Blob(['']), 'a.txt')
    expect(
      (
        await farebox.call('parseText', '/augment/text-parser', {
          method: 'POST',
          headers: toBearerHeader(child),
          body,
        })
      ).status,
    ).toBe(400)
    expect([await readCode(child), await readCode(parent)]).toEqual([200, spent])
  })
})

describe('daily credit', () => {
  it('is spent before USD, and renews the next day', async () => {
    await farebox.ledger.setDailyCredit('key:admin', 20_000n)
    const usd = await farebox.ledger.balance('key:admin')
    const balances = async () => (await readLimits(asAdmin))['balances']
    expect(await balances()).toEqual({ USD: Number(usd) / 1e6, DIEM: 0.02 })
    for (let count = 0; count < 3; count++) await parse(asAdmin)
    expect(await balances()).toEqual({ USD: Number(usd - 10_000n) / 1e6, DIEM: 0 })
    farebox.clock.time += 86_400_000
    expect(await balances()).toEqual({ USD: Number(usd - 10_000n) / 1e6, DIEM: 0.02 })
    await farebox.ledger.setDailyCredit('key:admin', 0n)
  })

  it('is limited for a key by diem and by vcu', async () => {
    await farebox.ledger.setDailyCredit('key:admin', 1_000_000n)
    const made = await create({ consumptionLimit: { usd: 0, vcu: 0.01 } })
    expect((await parse(toBearerHeader(made))).status).toBe(200)
    expect((await parse(toBearerHeader(made))).json).toMatchObject({
      code: 'API_KEY_USD_SPEND_LIMIT_EXCEEDED',
    })
    await farebox.ledger.setDailyCredit('key:admin', 0n)
    expect(await farebox.ledger.audit()).toEqual([])
  })
})

describe('getRateLimits', () => {
  it('returns the limits of the contract, and partner limits to partners', async () => {
    const made = await create({ expiresAt: '2099-01-01T00:00:00Z' })
    const of = async (id: string) => {
      const data = await readLimits(toBearerHeader(made))
      return [
        data['apiTier'],
        (data['rateLimits'] as { apiModelId: string; rateLimits: unknown }[]).find(
          ({ apiModelId }) => apiModelId === id,
        )?.rateLimits,
      ]
    }
    expect(await of('tts-kokoro')).toEqual([
      { id: 'default', isCharged: true },
      [{ amount: 60, type: 'RPM' }],
    ])
    await farebox.ledger.setPartner('key:admin', true)
    expect(await of('tts-kokoro')).toEqual([
      { id: 'partner', isCharged: true },
      [{ amount: 120, type: 'RPM' }],
    ])
    expect((await of('kimi-k2-thinking'))[1]).toEqual([
      { amount: 60, type: 'RPM' },
      { amount: 1_000_000, type: 'TPM' },
    ])
    await farebox.ledger.setPartner('key:admin', false)
    const { keyExpiration, nextEpochBegins } = await readLimits(toBearerHeader(made))
    const tomorrow = new Date(farebox.clock.time + 86_400_000).toISOString().slice(0, 10)
    expect([keyExpiration, nextEpochBegins]).toEqual([
      '2099-01-01T00:00:00.000Z',
      `${tomorrow}T00:00:00.000Z`,
    ])
  })
})

describe('listRateLimitLogs', () => {
  it('returns the latest fifty, newest first', async () => {
    for (let minute = 0; minute < 3; minute++) {
      farebox.clock.time += 60_000
      for (let count = 0; count < 40; count++) await create({}, asAdmin)
    }
    const { json } = await farebox.call('listRateLimitLogs', '/api_keys/rate_limits/log', {
      headers: asAdmin,
    })
    const log = json['data'] as Record<string, unknown>[]
    expect(log).toHaveLength(50)
    expect(log[0]).toEqual({
      apiKeyId: 'admin',
      modelId: 'apiKeyCreation',
      rateLimitTier: 'default',
      rateLimitType: 'RPM',
      timestamp: new Date(farebox.clock.time).toISOString(),
    })
  })
})
