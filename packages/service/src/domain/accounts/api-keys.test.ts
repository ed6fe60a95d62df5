import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { charge } from '../../../test/charge.js'
import { engines } from '../../../test/databases.js'
import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { createLedger, type Ledger } from '../ledger/ledger.js'
import { createApiKeys, type ApiKeys } from './api-keys.js'
import { createKeyAdministration } from './key-administration.js'

describe.each(engines)('on $engine', ({ open }) => {
  let database: Database
  let close: () => Promise<void>
  let keys: ApiKeys
  let ledger: Ledger
  let serial = 0
  let now = Date.parse('2026-01-02T03:04:05Z')
  beforeAll(async () => {
    ;({ database, close } = await open())
    await migrate(database)
    ledger = createLedger(database, { now: () => now, id: () => String(++serial).padStart(8, '0') })
    await ledger.openKeyAccount('key:a', 0n)
    keys = createApiKeys(database, { now: () => now, pepper: 'p' })
  })
  afterAll(() => close())

  const wish = { account: 'key:a', type: 'ADMIN', description: '' } as const
  const made = async (more: object = {}) => {
    const created = await keys.create({ ...wish, ...more })
    if (created.status !== 'created') throw new Error(created.status)
    return created
  }

  it('shows the secret to one of many requests with the same Idempotency-Key, and the key id to the others', async () => {
    const idempotency = { key: 'one', fingerprint: 'f' }
    const results = await Promise.all(
      Array.from({ length: 20 }, () => keys.create({ ...wish, idempotency })),
    )
    const [created, ...more] = results.filter(({ status }) => status === 'created')
    expect(more).toEqual([])
    const id = created?.status === 'created' ? created.key.id : ''
    expect(results.filter(({ status }) => status !== 'created')).toEqual(
      Array.from({ length: 19 }, () => ({ status: 'repeated', id })),
    )
    const other = await keys.create({ ...wish, idempotency: { key: 'one', fingerprint: 'g' } })
    expect(other).toEqual({ status: 'conflict' })
  })

  it('counts spending and refunds of a key for all of its ancestors', async () => {
    const parent = await made({ limit: { usd: 100 }, period: 'LIFETIME' })
    const child = await made({ madeBy: parent.key.id, limit: { usd: 50 }, period: 'MONTH' })
    const grandchild = await made({ madeBy: child.key.id, limit: { usd: 20 } })
    const ids = [parent, child, grandchild].map(({ key }) => key.id)
    await ledger.grant('key:a', 1_000_000n)
    const consumed = async () => {
      const rows = await database.query<{ id: string; consumed_usd: bigint }>(
        `select id, consumed_usd from api_key where id = any ($1::uuid[])`,
        [`{${ids.join()}}`],
      )
      return ids.map((id) => Number(rows.find((row) => row.id === id)?.consumed_usd))
    }
    const purchase = {
      account: 'key:a',
      keyId: grandchild.key.id,
      amount: 100n,
      requestId: 'r',
      modelId: null,
    }
    const hold = async () => {
      const held = await ledger.hold(purchase, 60_000)
      return held.status === 'held' ? held.id : ''
    }

    const [first, second] = [await hold(), await hold()]
    expect(await consumed()).toEqual([200, 200, 200])
    await ledger.capture(first, 30n)
    expect(await consumed()).toEqual([130, 130, 130])
    await ledger.release(second)
    const charged = await charge(ledger, purchase)
    expect(await consumed()).toEqual([130, 130, 130])
    await ledger.refund(charged.status === 'captured' ? charged.entryId : '')
    expect(await consumed()).toEqual([30, 30, 30])
    const holds = await Promise.all(Array.from({ length: 10 }, hold))
    expect(await consumed()).toEqual([1_030, 1_030, 1_030])
    await Promise.all(
      holds.map((id, index) => (index % 2 === 0 ? ledger.release(id) : ledger.capture(id, 10n))),
    )
    expect(await consumed()).toEqual([80, 80, 80])

    // each in its own window: a day later the grandchild begins anew, a month later the child
    for (const [days, expected] of [
      [1, [180, 180, 100]],
      [31, [280, 100, 100]],
    ] as const) {
      now += days * 86_400_000
      await hold()
      expect(await consumed()).toEqual(expected)
    }
    expect(await ledger.audit()).toEqual([])
  })

  it("does not touch the key's row when the full hold is charged", async () => {
    const { key } = await made()
    await ledger.grant('key:a', 1_000n)
    const hold = async () => {
      const purchase = {
        account: 'key:a',
        keyId: key.id,
        amount: 100n,
        requestId: 'r',
        modelId: null,
      }
      const held = await ledger.hold(purchase, 60_000)
      return held.status === 'held' ? held.id : ''
    }
    const writer = () =>
      database.query('select xmin::text, consumed_usd from api_key where id = $1::uuid', [key.id])
    const [one, first, second] = [await hold(), await hold(), await hold()]
    const before = await writer()
    await ledger.capture(one, 100n)
    await Promise.all([ledger.capture(first, 100n), ledger.capture(second, 100n)])
    expect(await writer()).toEqual(before)
    await ledger.capture(await hold(), 60n)
    expect(await writer()).toMatchObject([{ consumed_usd: 360n }])
  })

  it('revokes a key along with any of its ancestors', async () => {
    const parent = await made({ expiresAt: now + 100_000 })
    const child = await made({ madeBy: parent.key.id })
    const grandchild = await made({ madeBy: child.key.id, expiresAt: now + 50_000 })
    const ends = async () =>
      Promise.all(
        [parent, child, grandchild].map(async ({ secret }) => {
          const found = await keys.find(secret)
          return typeof found === 'object' ? (found.expiresAt ?? Infinity) - now : found
        }),
      )
    expect(await ends()).toEqual([100_000, 100_000, 50_000])
    // as an operator does whose key leaked
    await database.query(`update api_key set expires_at = $2 where id = $1::uuid`, [
      parent.key.id,
      new Date(now + 10_000).toISOString(),
    ])
    expect(await ends()).toEqual([10_000, 10_000, 10_000])
    now += 10_000
    expect(await ends()).toEqual(['expired', 'expired', 'expired'])
    await database.query(`delete from api_key where id = $1::uuid`, [parent.key.id])
    expect(await ends()).toEqual([undefined, undefined, undefined])
    await expect(keys.create({ ...wish, madeBy: child.key.id })).rejects.toThrow('is gone')
  })

  it('finds the keys of many secrets in one statement, including by rotated secrets', async () => {
    let statements = 0
    const query: Database['query'] = (sql, params) => {
      statements++
      return database.query(sql, params)
    }
    const counted = createApiKeys({ ...database, query }, { now: () => now, pepper: 'p' })
    const [one, other, rotated] = [await made(), await made(), await made()]
    const administration = createKeyAdministration(database, { now: () => now, pepper: 'p' })
    const { secret: newer } = (await administration.rotate(rotated.key.id, 60_000)) as {
      readonly secret: string
    }
    const secrets = [one.secret, 'of nobody', other.secret, rotated.secret, newer, one.secret]
    const find = async () => {
      const found = await Promise.all(secrets.map((secret) => counted.find(secret)))
      return found.map((key) => (typeof key === 'object' ? key.id : key))
    }
    const { id } = rotated.key
    expect(await find()).toEqual([one.key.id, undefined, other.key.id, id, id, one.key.id])
    expect(statements).toBe(1)
    now += 60_000
    expect(await find()).toEqual([one.key.id, undefined, other.key.id, undefined, id, one.key.id])
  })
})
