import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminKey, startService, type TestResponse, type Harness } from '../../test/harness.js'

let farebox: Harness
beforeAll(async () => void (farebox = await startService()))
// each test has minutes of its own
beforeEach(() => void (farebox.clock.time += 86_400_000))
afterAll(() => farebox.service.close())

type Key = { readonly id: string; readonly secret: string }

const toBearerHeader = (secret: string) => ({ authorization: `Bearer ${secret}` })
const createInit = (secret: string, method: string, body: object) => ({
  method,
  headers: { ...toBearerHeader(secret), 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const make = async (by: string, more: object = {}): Promise<Key> => {
  const body = { apiKeyType: 'ADMIN', description: 'tram', ...more }
  const made = await farebox.call('createApiKey', '/api_keys', createInit(by, 'POST', body))
  const { id, apiKey } = readData(made) as { id: string; apiKey: string }
  return { id, secret: apiKey }
}
const readData = (response: TestResponse) => response.json['data'] as Record<string, unknown>
const list = (by: string, query = '') =>
  farebox.call('listApiKeys', `/api_keys${query}`, { headers: toBearerHeader(by) })
const listIds = (response: TestResponse) =>
  (readData(response)['keys'] as { readonly id: string }[]).map(({ id }) => id)
const read = (by: string, id: string) =>
  farebox.call('getApiKey', `/api_keys/${id}`, { headers: toBearerHeader(by) })
const change = (by: string, id: string, body: object) =>
  farebox.call('changeApiKey', `/api_keys/${id}`, createInit(by, 'PATCH', body))
const rotate = (by: string, id: string, body: object = {}) =>
  farebox.call('rotateApiKey', `/api_keys/${id}/rotate`, createInit(by, 'POST', body))
const revoke = (by: string, id: string) =>
  farebox.call('revokeApiKey', `/api_keys/${id}`, { method: 'DELETE', headers: toBearerHeader(by) })
const isAccepted = async (secret: string) => (await list(secret)).status === 200

describe('the keys that a key manages', () => {
  it('are itself and its descendants, newest first, and are hidden from others', async () => {
    const parent = await make(adminKey)
    farebox.clock.time += 1000
    const child = await make(parent.secret)
    farebox.clock.time += 1000
    const grandchild = await make(child.secret, { description: 'night bus' })
    const stranger = await make(adminKey)

    expect(listIds(await list(parent.secret))).toEqual([grandchild.id, child.id, parent.id])
    expect(listIds(await list(child.secret, '?limit=1&offset=1'))).toEqual([child.id])
    expect(listIds(await list(adminKey))).toEqual(
      expect.arrayContaining([grandchild.id, stranger.id]),
    )
    for (const [by, id] of [
      [child.secret, parent.id],
      [stranger.secret, child.id],
      [parent.secret, '00000000-0000-4000-8000-00000000ffff'],
    ] as const) {
      const tries = [
        read(by, id),
        change(by, id, { description: 'x' }),
        rotate(by, id),
        revoke(by, id),
      ]
      expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([404, 404, 404, 404])
    }
    expect([await isAccepted(parent.secret), await isAccepted(child.secret)]).toEqual([true, true])
  })

  it('show limits, consumption and state, and never a secret', async () => {
    const parent = await make(adminKey)
    const child = await make(parent.secret, {
      apiKeyType: 'INFERENCE',
      consumptionLimit: { usd: 5 },
      limitPeriod: 'MONTH',
    })
    const body = new FormData()
    body.set('file', new Blob(['hello']), 'a.txt')
    await farebox.call('parseText', '/augment/text-parser', {
      method: 'POST',
      headers: toBearerHeader(child.secret),
      body,
    })
    const now = new Date(farebox.clock.time).toISOString()
    // uses are written every ten seconds of the machine
    const { lastUsedAt = now, ...found } = readData(await read(parent.secret, child.id))
    expect(lastUsedAt).toBe(now)
    expect(found).toEqual({
      id: child.id,
      apiKeyType: 'INFERENCE',
      description: 'tram',
      state: 'active',
      consumptionLimit: { usd: 5 },
      limitPeriod: 'MONTH',
      consumed: { usd: 0.01, diem: 0 },
      madeBy: parent.id,
      createdAt: now,
    })
    expect(readData(await read(adminKey, parent.id))).toMatchObject({
      consumed: { usd: 0.01, diem: 0 },
    })
    expect((await list(parent.secret)).text).not.toContain('fbx_')
  })

  it('never exceed the key that created them, and cannot change themselves', async () => {
    const parent = await make(adminKey, {
      consumptionLimit: { usd: 5 },
      limitPeriod: 'MONTH',
      expiresAt: '2027-01-01T00:00:00Z',
    })
    const child = await make(parent.secret, { consumptionLimit: { usd: 1 } })
    for (const [body, field] of [
      [{ consumptionLimit: { usd: 6 } }, 'consumptionLimit'],
      [{ expiresAt: '2028-01-01T00:00:00Z' }, 'expiresAt'],
      [{ consumptionLimit: { usd: -1 } }, 'consumptionLimit'],
    ] as const) {
      const rejected = await change(parent.secret, child.id, body)
      expect([rejected.status, rejected.text]).toEqual([400, expect.stringContaining(field)])
    }
    expect((await change(parent.secret, child.id, {})).status).toBe(400)
    expect(
      readData(
        await change(parent.secret, child.id, { consumptionLimit: { usd: 4 }, description: 'bus' }),
      ),
    ).toMatchObject({
      consumptionLimit: { usd: 4 },
      description: 'bus',
      expiresAt: '2027-01-01T00:00:00.000Z',
    })
    // without limits of its own, it has those of its maker
    expect(
      readData(await change(parent.secret, child.id, { consumptionLimit: null, expiresAt: null })),
    ).toMatchObject({
      consumptionLimit: { usd: 5 },
      expiresAt: '2027-01-01T00:00:00.000Z',
    })
    const itself = await change(parent.secret, parent.id.toUpperCase(), { consumptionLimit: null })
    expect([itself.status, itself.json['code']]).toEqual([403, 'KEY_FORBIDDEN'])
    expect(readData(await read(parent.secret, parent.id))).toMatchObject({
      consumptionLimit: { usd: 5 },
    })
  })

  it('get a new secret, and keep the old one for the requested time', async () => {
    const key = await make(adminKey)
    const rotated = readData(await rotate(key.secret, key.id, { graceSeconds: 60 }))
    expect(rotated).toMatchObject({
      id: key.id,
      previousSecretUntil: new Date(farebox.clock.time + 60_000).toISOString(),
    })
    const second = rotated['apiKey'] as string
    expect([await isAccepted(key.secret), await isAccepted(second)]).toEqual([true, true])
    farebox.clock.time += 60_000
    expect([await isAccepted(key.secret), await isAccepted(second)]).toEqual([false, true])
    const third = readData(await rotate(adminKey, key.id))['apiKey'] as string
    expect([await isAccepted(second), await isAccepted(third)]).toEqual([false, true])
  })

  it('are revoked for good with their parent key', async () => {
    const parent = await make(adminKey)
    const child = await make(parent.secret)
    expect(readData(await revoke(parent.secret, parent.id))).toMatchObject({
      state: 'revoked',
      revokedAt: expect.any(String) as string,
    })
    expect([await isAccepted(parent.secret), await isAccepted(child.secret)]).toEqual([
      false,
      false,
    ])
    expect((await revoke(adminKey, parent.id)).status).toBe(200)
    for (const rejected of [
      await change(adminKey, child.id, { expiresAt: null }),
      await rotate(adminKey, child.id),
    ]) {
      expect([rejected.status, rejected.json['code']]).toEqual([400, 'KEY_ENDED'])
    }
    expect(listIds(await list(adminKey, '?state=revoked'))).toEqual(
      expect.arrayContaining([parent.id, child.id]),
    )
  })

  it('are for ADMIN keys', async () => {
    const { id, secret } = await make(adminKey, { apiKeyType: 'INFERENCE' })
    const tries = [
      list(secret),
      read(secret, id),
      change(secret, id, { description: 'x' }),
      rotate(secret, id),
      revoke(secret, id),
    ]
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([
      401, 401, 401, 401, 401,
    ])
  })
})
