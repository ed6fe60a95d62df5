import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { charge } from '../../../test/charge.js'
import { engines } from '../../../test/databases.js'
import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { createLedger, type Ledger } from '../ledger/ledger.js'
import { createApiKeys, type ApiKeys } from './api-keys.js'
import { createKeyAdministration, createKeyChanges, type KeyChanges } from './key-administration.js'
import { createKeyRecords, type KeyRecords, readKeyUsage, createKeyUses } from './key-records.js'

describe.each(engines)('on $engine', ({ open }) => {
  let database: Database
  let close: () => Promise<void>
  let keys: ApiKeys
  let records: KeyRecords
  let changes: KeyChanges
  let ledger: Ledger
  let serial = 0
  let now = Date.parse('2026-01-02T03:04:05Z')
  beforeAll(async () => {
    ;({ database, close } = await open())
    await migrate(database)
    ledger = createLedger(database, { now: () => now, id: () => String(++serial).padStart(8, '0') })
    await ledger.grant('key:a', 1_000_000n)
    const options = { now: () => now, pepper: 'p' }
    keys = createApiKeys(database, options)
    records = createKeyRecords(database, options.now)
    changes = createKeyChanges(database, { ...options, records })
  })
  afterAll(() => close())

  const made = async (more: object = {}) => {
    const created = await keys.create({
      account: 'key:a',
      type: 'INFERENCE',
      description: 'tram',
      ...more,
    })
    if (created.status !== 'created') throw new Error(created.status)
    return { id: created.key.id, secret: created.secret }
  }
  const readState = async (secret: string) => {
    const found = await keys.find(secret)
    return typeof found === 'object' ? 'active' : found
  }
  const priced = (keyId: string, amount = 100n) => ({
    account: 'key:a',
    keyId,
    amount,
    requestId: 'r',
    modelId: 'm',
  })

  it('updates only the given fields of a key', async () => {
    const { id } = await made({ limit: { usd: 5, diem: 1 }, period: 'MONTH' })
    const expiresAt = now + 1_000
    expect(await changes.change(id, { description: 'bus' })).toMatchObject({
      status: 'changed',
      key: { description: 'bus', limit: { usd: 5, diem: 1 }, period: 'MONTH', state: 'active' },
    })
    expect(await changes.change(id, { limit: { usd: 0.5 }, expiresAt })).toMatchObject({
      key: { limit: { usd: 0.5 }, expiresAt },
    })
    const open = await changes.change(id, { limit: null, expiresAt: null, period: 'LIFETIME' })
    expect(open).toMatchObject({
      status: 'changed',
      key: { description: 'bus', limit: {}, period: 'LIFETIME' },
    })
    expect(open).not.toHaveProperty('key.expiresAt')
  })

  it('applies a lower limit to the next charge, including what was consumed before', async () => {
    const { id } = await made({ limit: { usd: 1 }, period: 'LIFETIME' })
    await charge(ledger, priced(id, 300n))
    await changes.change(id, { limit: { usd: 0.0004 } })
    expect(await ledger.hold(priced(id), 60_000)).toMatchObject({ status: 'held' })
    expect(await ledger.hold(priced(id, 1n), 60_000)).toMatchObject({
      status: 'insufficient',
      reason: 'key limit usd',
    })
    expect(await records.read(id)).toMatchObject({ consumed: { usd: 0.0004, diem: 0 } })
  })

  it.each(['EPOCH', 'MONTH'] as const)(
    'what was held before a window of %s counts for the window before it, also when it is refunded',
    async (period) => {
      const before = now
      const { id } = await made({ limit: { usd: 1 }, period })
      now = Date.parse('2026-01-31T23:59:59Z')
      const held = await ledger.hold(priced(id, 300n), 60_000)
      now = Date.parse('2026-02-01T00:00:01Z')
      const night = await ledger.capture(held.status === 'held' ? held.id : '', 200n)
      await charge(ledger, priced(id, 500n))
      await ledger.refund(night.status === 'captured' ? night.entryId : '')
      expect(await records.read(id)).toMatchObject({ consumed: { usd: 0.0005 } })
      now = before
    },
  )

  it('a window of a key does not begin twice, when a hold of the one before it comes last', async () => {
    const before = now
    const { id } = await made({ limit: { usd: 0.001 } })
    now = Date.parse('2026-02-01T00:00:00Z')
    await charge(ledger, priced(id, 800n))
    now -= 1
    // it waited for the account while the day began
    const late = await ledger.hold(priced(id, 100n), 60_000)
    now += 2
    expect(await ledger.hold(priced(id, 200n), 60_000)).toMatchObject({ reason: 'key limit usd' })
    await ledger.release(late.status === 'held' ? late.id : '')
    expect(await ledger.hold(priced(id, 200n), 60_000)).toMatchObject({ status: 'held' })
    now = before
  })

  it('a key is not changed beyond the key that made it', async () => {
    const parent = await made({ limit: { usd: 5 }, period: 'MONTH', expiresAt: now + 10_000 })
    const child = await made({ madeBy: parent.id, limit: { usd: 1 } })
    expect(await changes.change(child.id, { limit: { usd: 6 } })).toMatchObject({
      status: 'beyond maker',
      field: 'consumptionLimit',
    })
    expect(await changes.change(child.id, { expiresAt: now + 20_000 })).toMatchObject({
      status: 'beyond maker',
      field: 'expiresAt',
    })
    expect(await changes.change(child.id, { limit: null, expiresAt: null })).toMatchObject({
      status: 'changed',
      key: { limit: { usd: 5 }, expiresAt: now + 10_000, madeBy: parent.id },
    })
  })

  it('a key above the limits that its maker has meanwhile can be renamed and lowered', async () => {
    const parent = await made({ limit: { usd: 5 }, expiresAt: now + 20_000 })
    const child = await made({ madeBy: parent.id, limit: { usd: 4 } })
    await changes.change(parent.id, { limit: { usd: 1 }, expiresAt: now + 10_000 })
    expect(await changes.change(child.id, { description: 'bus' })).toMatchObject({
      status: 'changed',
      key: { description: 'bus', limit: { usd: 4 } },
    })
    expect(await changes.change(child.id, { limit: { usd: 1 } })).toMatchObject({
      status: 'changed',
      key: { limit: { usd: 1 }, expiresAt: now + 10_000 },
    })
    expect(await changes.change(child.id, { period: 'MONTH', limit: { usd: 2 } })).toMatchObject({
      status: 'changed',
    })
  })

  it('a key without a limit keeps the period that it was given for a later one', async () => {
    const parent = await made()
    const child = await made({ madeBy: parent.id })
    await changes.change(child.id, { period: 'MONTH' })
    expect(await changes.change(child.id, { limit: { usd: 5 } })).toMatchObject({
      key: { limit: { usd: 5 }, period: 'MONTH' },
    })
  })

  it('a change of one field keeps what another process changes at that moment', async () => {
    const { id } = await made({ period: 'EPOCH' })
    let others = 1
    const late = createKeyChanges(database, {
      now: () => now,
      pepper: 'p',
      records: {
        // the other change comes between the two statements of this one
        read: async (...given) => {
          const found = await records.read(...given)
          if (others-- > 0) await changes.change(id, { period: 'MONTH' })
          return found
        },
      },
    })
    await late.change(id, { description: 'bus' })
    expect(await records.read(id)).toMatchObject({ description: 'bus', period: 'MONTH' })
  })

  it('gives a rotated key a new secret, and keeps the old one only for the grace period', async () => {
    const { id, secret: first } = await made()
    const rotate = async (graceMs: number) => {
      const rotated = await changes.rotate(id, graceMs)
      return rotated.status === 'rotated' ? rotated : expect.fail(rotated.status)
    }
    const { secret: second } = await rotate(0)
    expect([await readState(first), await readState(second)]).toEqual([undefined, 'active'])
    const { secret: third, key } = await rotate(1_000)
    expect(key).toMatchObject({ rotatedAt: now, previousSecretUntil: now + 1_000 })
    expect([await readState(second), await readState(third)]).toEqual(['active', 'active'])
    // another rotation ends the secret before the last one at once
    const { secret: fourth } = await rotate(1_000)
    expect([await readState(second), await readState(third), await readState(fourth)]).toEqual([
      undefined,
      'active',
      'active',
    ])
    now += 1_000
    expect([await readState(third), await readState(fourth)]).toEqual([undefined, 'active'])
    expect(await records.read(id)).not.toHaveProperty('previousSecretUntil')
  })

  it('revokes a key and its descendants for good, even during a request', async () => {
    const parent = await made()
    const child = await made({ madeBy: parent.id })
    await changes.rotate(child.id, 60_000)
    expect(await ledger.hold(priced(child.id), 60_000)).toMatchObject({ status: 'held' })
    expect(await changes.revoke(parent.id)).toMatchObject({
      status: 'revoked',
      key: { state: 'revoked', revokedAt: now, expiresAt: now },
    })
    expect([await readState(parent.secret), await readState(child.secret)]).toEqual([
      'revoked',
      'revoked',
    ])
    // authenticated before, and paying after
    expect(await ledger.hold(priced(child.id), 60_000)).toMatchObject({
      status: 'insufficient',
      reason: 'key revoked',
    })
    for (const { id } of [parent, child]) {
      expect(await changes.change(id, { expiresAt: null })).toMatchObject({
        status: 'ended',
        key: { state: 'revoked' },
      })
      expect(await changes.rotate(id, 0)).toMatchObject({ status: 'ended' })
    }
    now += 5_000
    expect(await changes.revoke(parent.id)).toMatchObject({
      status: 'revoked',
      key: { revokedAt: now - 5_000 },
    })
    expect(await ledger.audit()).toEqual([])
  })

  it('changes nothing for an unknown id', async () => {
    for (const id of ['no-id', '00000000-0000-4000-8000-000000000000']) {
      const statuses = [
        await changes.change(id, {}),
        await changes.rotate(id, 0),
        await changes.revoke(id),
      ].map(({ status }) => status)
      expect(statuses).toEqual(['unknown', 'unknown', 'unknown'])
    }
  })

  it('lists keys of one account and state, newest first, in pages', async () => {
    await ledger.openKeyAccount('key:b', 0n)
    const ids: string[] = []
    for (let count = 0; count < 3; count++) {
      now += 1_000
      ids.unshift((await made({ account: 'key:b' })).id)
    }
    await changes.revoke(ids[1] ?? '')
    const list = async (filter: object) => {
      const { keys: found, hasMore } = await records.list({
        account: 'key:b',
        limit: 10,
        offset: 0,
        ...filter,
      })
      return [found.map(({ id }) => ids.indexOf(id)), hasMore]
    }
    expect(await list({})).toEqual([[0, 1, 2], false])
    expect(await list({ state: 'active' })).toEqual([[0, 2], false])
    expect(await list({ limit: 2 })).toEqual([[0, 1], true])
    expect(await list({ limit: 2, offset: 2 })).toEqual([[2], false])
  })

  it('writes the last use of keys in a batch, and never moves it back', async () => {
    const used = [await made(), await made()].map(({ id }) => id)
    const statements: string[] = []
    const counted: Database = {
      ...database,
      query: async (sql, params) => {
        statements.push(sql)
        return database.query(sql, params)
      },
    }
    const uses = createKeyUses(counted, () => now)
    const late = createKeyUses(database, () => now - 9_000)
    for (const id of [...used, ...used, ...used]) uses.saw(id)
    late.saw(used[0] ?? '')
    await uses.flush()
    await uses.flush()
    await late.flush()
    expect(statements).toHaveLength(1)
    const lastUses = await Promise.all(used.map(async (id) => (await records.read(id))?.lastUsedAt))
    expect(lastUses).toEqual([now, now])
  })

  it('retries uses that could not be written', async () => {
    const { id } = await made()
    let failing = true
    const broken: Database = {
      ...database,
      query: async (sql, params) =>
        failing ? Promise.reject(new Error('no database')) : database.query(sql, params),
    }
    const uses = createKeyUses(broken, () => now)
    uses.saw(id)
    await expect(uses.flush()).rejects.toThrow('no database')
    failing = false
    await uses.flush()
    expect(await records.read(id)).toMatchObject({ lastUsedAt: now })
  })

  it('reports the usage of a key by day and model from its ledger charges', async () => {
    const { id } = await made()
    const from = now
    await charge(ledger, priced(id, 30n))
    const charged = await charge(ledger, { ...priced(id, 20n), modelId: 'n' })
    now += 86_400_000
    await charge(ledger, { ...priced(id, 7n), modelId: null })
    await ledger.refund(charged.status === 'captured' ? charged.entryId : '')
    const [first, second] = [from, now].map((time) => new Date(time).toISOString().slice(0, 10))
    const none = { refunds: 0, dailyCredit: 0n }
    expect(await readKeyUsage(database, id, { from, to: now + 1 })).toEqual([
      { day: second, model: 'n', calls: 0, refunds: 1, usd: -20n, dailyCredit: 0n },
      { day: second, model: null, calls: 1, usd: 7n, ...none },
      { day: first, model: 'm', calls: 1, usd: 30n, ...none },
      { day: first, model: 'n', calls: 1, usd: 20n, ...none },
    ])
    expect(await readKeyUsage(database, id, { from: now, to: now })).toEqual([])
    // the morning of the first day is part of it
    now = Date.parse(`${second}T23:59:00Z`)
    const { usage } = createKeyAdministration(database, { now: () => now, pepper: 'p' })
    expect(await usage(id, 1)).toMatchObject([{ day: second }, { day: second }])
    expect(await usage(id, 2)).toHaveLength(4)
  })
})
