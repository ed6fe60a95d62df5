import { hostname } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { charge } from '../../../test/charge.js'
import { adminKey, origin, startService, type Harness } from '../../../test/harness.js'
import type { OperatorChange } from './operator-api.js'
import { operatorOperations, type OperatorOperation } from './operations.js'

const operatorKey = 'operator-key-of-the-test'
const changes: OperatorChange[] = []
let harness: Harness
beforeAll(async () => {
  harness = await startService({
    operatorKey,
    operatorChanges: true,
    onOperatorChange: (change) => changes.push(change),
  })
})
afterAll(() => harness.service.close())

type Json = Record<string, unknown>

async function ask(
  method: string,
  path: string,
  body?: unknown,
  key = operatorKey,
  { service } = harness,
) {
  const init = {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
  const response = await service.operator(new Request(`http://127.0.0.1:4021${path}`, init))
  return {
    status: response.status,
    json: (await response.json()) as Json,
    headers: response.headers,
  }
}
const callOperator = (method: string, path: string, body?: unknown) =>
  ask(method, `/operator/v1${path}`, body)
const createKey = async (body: Json = {}) =>
  (await callOperator('POST', '/keys', { account: 'key:tram', ...body })).json as {
    id: string
    secret: string
  }
const call = async (secret: string) => {
  const response = await harness.call('listModels', '/models', {
    headers: { authorization: `Bearer ${secret}` },
  })
  return (response.json['code'] as string | undefined) ?? response.status
}

describe("the operator's API", () => {
  it('accepts only its own key, and is not served at the public address', async () => {
    for (const key of ['', adminKey, `${operatorKey}x`]) {
      expect(await ask('GET', '/operator/v1/keys', undefined, key)).toMatchObject({
        status: 401,
        json: { code: 'UNAUTHORIZED' },
      })
    }
    const request = new Request(`${origin}/operator/v1/keys`, {
      headers: { authorization: `Bearer ${operatorKey}` },
    })
    expect((await harness.service.fetch(request)).status).toBe(404)
    expect(
      (
        await harness.call('listModels', '/models', {
          headers: { authorization: `Bearer ${operatorKey}` },
        })
      ).status,
    ).toBe(401)
  })

  it('limits the keys that an address may try in a minute, without affecting other addresses', async () => {
    const attempt = async (key: string, remoteAddress: string) => {
      const headers = { authorization: `Bearer ${key}` }
      const response = await harness.service.operator(
        new Request('http://127.0.0.1:4021/operator/v1/keys', { headers }),
        { remoteAddress },
      )
      return response
    }
    const statuses = []
    for (let count = 0; count < 12; count++)
      statuses.push((await attempt(`wrong-${count}`, '10.1.1.1')).status)
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])
    const right = await attempt(operatorKey, '10.1.1.1')
    expect([right.status, right.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await attempt(operatorKey, '10.1.1.2')).status).toBe(200)
    harness.clock.time += 61_000
    expect((await attempt(operatorKey, '10.1.1.1')).status).toBe(200)
    harness.clock.time -= 61_000
  })

  it('reports usage in pages', async () => {
    const other = await startService({ operatorKey })
    const { ledger, clock } = other
    const callOperator = (method: string, path: string) =>
      ask(method, `/operator/v1${path}`, undefined, operatorKey, other)
    const wallet = await other.richWallet()
    const purchase = {
      account: wallet.address,
      amount: 20_000n,
      requestId: 'r',
      modelId: 'tts-orpheus',
    }
    await charge(ledger, purchase)
    clock.time += 86_400_000
    await charge(ledger, purchase)
    const first = await callOperator('GET', '/usage?by=day,wallet&limit=1')
    expect(first.json).toEqual({
      usage: [
        {
          day: '2026-01-02',
          wallet: wallet.address,
          requests: 1,
          refunds: 0,
          charged: 0.02,
          refunded: 0,
          dailyCredit: 0,
          uncosted: 1,
          cost: null,
          margin: null,
        },
      ],
      hasMore: true,
    })
    expect(
      (await callOperator('GET', '/usage?by=model&from=2026-01-03&to=2026-01-03')).json,
    ).toMatchObject({
      usage: [{ model: 'tts-orpheus', charged: 0.02 }],
      hasMore: false,
    })
    const all = await callOperator('GET', '/usage?by=model&from=0000-01-01&to=9999-12-31')
    expect(all.json).toMatchObject({ usage: [{ model: 'tts-orpheus', charged: 0.04 }] })
    expect((await callOperator('GET', '/usage?by=modle')).json['error']).toContain(
      'Expected a list of day, key, wallet, model',
    )
    expect(
      (await callOperator('GET', '/usage?from=2026-01-04&to=2026-01-03')).json['error'],
    ).toContain('found 2026-01-04')
    for (const [path, message] of [
      ['/usage?form=2026-01-03', 'field form; expected limit, offset, from, to, by'],
      ['/processes?limit=2', 'field limit; expected none'],
    ] as const) {
      const { status, json } = await callOperator('GET', path)
      expect([status, json['error']]).toEqual([400, `query: found the unknown ${message}.`])
    }
    await other.service.close()
  })

  it('manages a key from its first use to its revocation', async () => {
    const { id, secret: first } = await createKey({
      description: 'bus',
      consumptionLimit: { usd: 5 },
      limitPeriod: 'MONTH',
    })
    expect(await call(first)).toBe(200)
    expect((await callOperator('GET', `/keys/${id}`)).json).toMatchObject({
      account: 'key:tram',
      state: 'active',
      description: 'bus',
      apiKeyType: 'INFERENCE',
      limitPeriod: 'MONTH',
      consumptionLimit: { usd: 5 },
      consumed: { usd: 0, diem: 0 },
      lastUsedAt: '2026-01-02T03:04:05.000Z',
    })
    expect(
      (
        await callOperator('PATCH', `/keys/${id}`, {
          consumptionLimit: null,
          expiresAt: '2027-01-01T02:00:00+02:00',
        })
      ).json,
    ).toMatchObject({
      description: 'bus',
      consumptionLimit: {},
      limitPeriod: 'MONTH',
      expiresAt: '2027-01-01T00:00:00.000Z',
    })
    const second = (await callOperator('POST', `/keys/${id}/rotate`, { graceSeconds: 60 })).json[
      'secret'
    ] as string
    expect([await call(first), await call(second)]).toEqual([200, 200])
    harness.clock.time += 60_000
    expect([await call(first), await call(second)]).toEqual(['AUTHENTICATION_FAILED', 200])
    expect((await callOperator('POST', `/keys/${id}/revoke`)).json).toMatchObject({
      state: 'revoked',
    })
    expect(await call(second)).toBe('AUTHENTICATION_FAILED_INACTIVE_KEY')
    expect(await callOperator('POST', `/keys/${id}/rotate`, {})).toMatchObject({
      status: 409,
      json: { code: 'KEY_ENDED' },
    })
    expect(changes.map(({ operation, keyId }) => [operation, keyId])).toEqual(
      ['createKey', 'changeKey', 'rotateKey', 'revokeKey'].map((operation) => [operation, id]),
    )
    expect(JSON.stringify(changes)).not.toContain('fbx_')
  })

  it('accepts the longest names and descriptions, counted in characters', async () => {
    const [account, description] = [`key:${'🚋'.repeat(100)}`, '🚌'.repeat(64)]
    const { id } = await createKey({ account, description })
    expect((await callOperator('GET', `/keys/${id}`)).json).toMatchObject({ account, description })
    expect(
      (await callOperator('GET', `/accounts/${encodeURIComponent(account)}`)).json,
    ).toMatchObject({
      account,
      entries: 0,
    })
    expect(
      (await callOperator('PATCH', `/keys/${id}`, { description: `${description}!` })).status,
    ).toBe(400)
    expect((await callOperator('POST', '/keys', { account: `${account}!` })).status).toBe(400)
  })

  it('shows a secret once', async () => {
    const { id, secret } = await createKey()
    const texts = await Promise.all(
      ['/keys', `/keys/${id}`, `/keys/${id}/usage`].map(async (path) =>
        JSON.stringify((await callOperator('GET', path)).json),
      ),
    )
    expect(texts.join('')).not.toContain(secret)
    expect(texts.join('')).not.toContain('fbx_')
  })

  it.each([
    ['POST', '/keys', { account: 'tram' }, 'account: Expected "key:" with a name'],
    ['POST', '/keys', { account: 'key:a', color: 1 }, 'body: found the unknown field color'],
    [
      'POST',
      '/keys',
      { account: 'key:a', expiresAt: '2020-01-01T00:00:00Z' },
      'expiresAt: Expected a time in the future',
    ],
    [
      'POST',
      '/keys',
      { account: 'key:a', consumptionLimit: { usd: -1 } },
      'consumptionLimit: usd: Expected 0 to',
    ],
    ['GET', '/keys?limit=0', undefined, 'query.limit: '],
    ['GET', '/keys?state=lost', undefined, 'query.state: '],
    ['POST', '/keys', { account: 'key:\0' }, 'account: '],
    ['POST', '/keys', { account: 'key:a\nb' }, 'account: Expected "key:" with a name in visible'],
    ['POST', '/keys', { account: 'key: ' }, 'account: Expected "key:" with a name in visible'],
    ['GET', '/keys?account=%00', undefined, 'account: '],
    ['GET', '/accounts/%00/entries', undefined, 'account: '],
    ['GET', '/accounts/%zz', undefined, 'a percent sign that encodes nothing'],
  ])('rejects %s %s %j with a reason', async (method, path, body, message) => {
    expect(await callOperator(method, path, body)).toMatchObject({
      status: 400,
      json: { error: expect.stringContaining(message) as string },
    })
  })

  it('rejects invalid JSON, large bodies, unknown paths and wrong methods', async () => {
    const post = (body: string) =>
      harness.service.operator(
        new Request('http://127.0.0.1:4021/operator/v1/keys', {
          method: 'POST',
          headers: { authorization: `Bearer ${operatorKey}` },
          body,
        }),
      )
    expect((await post('{')).status).toBe(400)
    expect((await post(`"${'x'.repeat(65_536)}"`)).status).toBe(413)
    expect((await callOperator('GET', '/nothing')).status).toBe(404)
    expect((await callOperator('GET', '/accounts/key:nobody')).status).toBe(404)
    expect((await callOperator('GET', '/keys/00000000-0000-4000-8000-000000000000')).status).toBe(
      404,
    )
    expect((await callOperator('PUT', '/keys')).status).toBe(405)
  })

  it('shows accounts with their balances, their ledger, and the flow of money by day', async () => {
    const { ledger } = harness
    await ledger.grant('key:rich', 2_000_000n)
    const held = await ledger.hold(
      { account: 'key:rich', amount: 500_000n, requestId: 'r1', modelId: null },
      60_000,
    )
    await ledger.hold(
      { account: 'key:rich', amount: 100_000n, requestId: 'r2', modelId: null },
      60_000,
    )
    await ledger.capture(held.status === 'held' ? held.id : '', 400_000n, 'tts-kokoro')
    const { json } = await callOperator('GET', '/accounts?limit=1')
    expect(json).toMatchObject({
      accounts: [
        { account: 'key:rich', balance: 1.6, held: 0.1, spendable: 1.5, entries: 2, kind: 'key' },
      ],
      hasMore: true,
      totals: { held: 0.1 },
    })
    expect((await callOperator('GET', '/accounts/key%3Arich')).json).toEqual(
      (json['accounts'] as unknown[])[0],
    )
    expect((await callOperator('GET', '/accounts/key:rich/entries?limit=1')).json).toMatchObject({
      entries: [
        { type: 'CHARGE', amount: -0.4, balanceAfter: 1.6, requestId: 'r1', modelId: 'tts-kokoro' },
      ],
      hasMore: true,
    })
    const { flow } = (await callOperator('GET', '/money?days=1')).json as { flow: readonly Json[] }
    expect(flow).toContainEqual({
      day: '2026-01-02',
      type: 'CHARGE',
      entries: 1,
      usd: -0.4,
      dailyCredit: 0,
    })
    harness.clock.time += 86_400_000
    expect((await callOperator('GET', '/money?days=1')).json).toEqual({ flow: [] })
    expect((await callOperator('GET', '/money?days=2')).json['flow']).toEqual(flow)
    harness.clock.time -= 86_400_000
  })

  it('finds an error by its request id', async () => {
    const rejected = await harness.call('getModel', '/models/nobody', {
      headers: { authorization: `Bearer ${adminKey}` },
    })
    const requestId = rejected.headers.get('x-request-id') ?? ''
    expect((await callOperator('GET', `/errors?requestId=${requestId}`)).json).toEqual({
      errors: [
        {
          time: new Date(harness.clock.time).toISOString(),
          process: `${hostname()} ${process.pid}`,
          requestId,
          operation: 'getModel',
          status: 404,
          code: 'MODEL_NOT_FOUND',
        },
      ],
    })
  })

  it('reports an inconsistent account within a minute', async () => {
    expect((await callOperator('GET', '/audit')).json).toMatchObject({
      consistent: true,
      faults: [],
    })
    await harness.database.query(`update account set balance = balance + 1 where name = 'key:rich'`)
    expect((await callOperator('GET', '/audit')).json).toMatchObject({ consistent: true })
    harness.clock.time += 60_000
    expect((await callOperator('GET', '/audit')).json).toMatchObject({
      consistent: false,
      faults: [{ account: 'key:rich' }],
    })
    await harness.database.query(`update account set balance = balance - 1 where name = 'key:rich'`)
  })

  it("shows the service's health, its jobs, and its document", async () => {
    expect((await callOperator('GET', '/health')).json).toMatchObject({
      ready: true,
      checks: { database: 'ok' },
      allowsChanges: true,
    })
    expect((await callOperator('GET', '/processes')).json).toMatchObject({
      processes: [{ process: `${hostname()} ${process.pid}`, ready: true }],
    })
    expect((await callOperator('GET', '/jobs?state=queued')).json).toEqual({
      jobs: [],
      hasMore: false,
    })
    const { json } = await ask('GET', '/openapi.json', undefined, '')
    const ids = Object.values(json['paths'] as Record<string, Record<string, Json>>).flatMap(
      (path) => Object.values(path),
    )
    expect(new Set(ids.map(({ operationId }) => operationId))).toEqual(
      new Set(Object.keys(operatorOperations)),
    )
  })
})

describe('a read-only operator listener', () => {
  it('rejects every operation that changes something', async () => {
    const reading = await startService({ operatorKey })
    try {
      const changing = Object.values<OperatorOperation>(operatorOperations).filter(
        (operation) => operation.changes,
      )
      expect(changing.length).toBeGreaterThan(3)
      for (const { method, path } of changing) {
        const rejected = await ask(
          method,
          `/operator/v1${path.replace('{id}', 'x')}`,
          {},
          operatorKey,
          reading,
        )
        expect(rejected).toMatchObject({ status: 403, json: { code: 'READ_ONLY' } })
      }
      for (const { method, path } of Object.values<OperatorOperation>(operatorOperations)) {
        if (method === 'GET')
          expect(
            (
              await ask(
                method,
                `/operator/v1${path.replace(/\{\w+\}/, 'x')}`,
                undefined,
                operatorKey,
                reading,
              )
            ).status,
          ).not.toBe(403)
      }
    } finally {
      await reading.service.close()
    }
  })

  it('does not exist without a key', async () => {
    const closed = await startService()
    try {
      expect((await ask('GET', '/operator/v1/keys', undefined, '', closed)).status).toBe(404)
    } finally {
      await closed.service.close()
    }
  })
})
