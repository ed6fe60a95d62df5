import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { charge } from '../../../test/charge.js'
import { engines } from '../../../test/databases.js'
import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { type Caller, createNonceStore } from '../accounts/authenticate.js'
import { createLimitLog } from '../limits/limit-log.js'
import { createSharedLimits } from '../limits/shared-limits.js'
import { purgeLimits, defaultRetention, purge, endedHoldMs } from '../retention.js'
import { createVoices } from '../speech/voices.js'
import { createLedger, type Ledger } from './ledger.js'

describe.each(engines)('on $engine', ({ open }) => {
  let database: Database
  let ledger: Ledger
  let close: () => Promise<void>
  let now = Date.parse('2026-01-02T03:04:05Z')
  let serial = 0

  beforeAll(async () => {
    ;({ database, close } = await open())
    await migrate(database)
    ledger = createLedger(database, { now: () => now, id: () => String(++serial).padStart(8, '0') })
  })
  afterAll(() => close())

  const chargeKey = () =>
    charge(ledger, {
      account: 'key:a',
      amount: 1n,
      requestId: 'r',
      modelId: null,
      idempotency: { operation: 'parseText', key: 'k', fingerprint: 'f' },
    })

  it('keeps the rate limit log unless a retention is set', async () => {
    await ledger.openKeyAccount('key:log', 0n)
    const log = createLimitLog(database, () => now)
    await log.record(
      { caller: { kind: 'key', account: 'key:log' } as Caller, rateTier: 'default' },
      'text',
    )
    const keep = { ...defaultRetention, limitLogs: 86_400_000 }
    await purgeLimits(database, now + 10 * keep.limitLogs)
    await purgeLimits(database, now + keep.limitLogs, keep)
    expect(await log.latest('key:log')).toHaveLength(1)
    await purgeLimits(database, now + keep.limitLogs + 1, keep)
    expect(await log.latest('key:log')).toEqual([])
  })

  it('remembers a key for a week, and charges it again afterwards', async () => {
    await ledger.openKeyAccount('key:a', 100n)
    expect((await chargeKey()).status).toBe('captured')
    now += defaultRetention.keys
    await purge(database, now)
    expect((await chargeKey()).status).toBe('known')
    now += 1
    await purge(database, now)
    expect((await chargeKey()).status).toBe('captured')
    expect(await ledger.balance('key:a')).toBe(98n)
    expect(await ledger.audit()).toEqual([])
  })

  it('deletes ended holds after a day, keeps open ones, and leaves the ledger consistent', async () => {
    await ledger.openKeyAccount('key:h', 100n)
    const hold = async () => {
      const held = await ledger.hold(
        { account: 'key:h', amount: 10n, requestId: `held-${++serial}`, modelId: null },
        7 * endedHoldMs,
      )
      return held.status === 'held' ? held.id : ''
    }
    const [captured, released, open] = [await hold(), await hold(), await hold()]
    await ledger.capture(captured, 7n)
    await ledger.release(released)
    const left = async () =>
      (
        await database.query<{ id: string }>(
          "select id from hold where request_id like 'held-%' order by id",
        )
      ).map(({ id }) => id)
    now += endedHoldMs
    await purge(database, now)
    expect(await left()).toEqual([captured, released, open])
    now += 1
    // one at a time, and all of them
    await purge(database, now, defaultRetention, 1)
    expect(await left()).toEqual([open])
    expect(await ledger.audit()).toEqual([])
    expect(await ledger.spendable('key:h')).toMatchObject({ usd: 83n })
    expect(await ledger.capture(captured, 7n)).toEqual({ status: 'ended' })
    await ledger.undo(captured)
    expect(await ledger.capture(open, 10n)).toMatchObject({ status: 'captured', balance: 83n })
    expect(await ledger.audit()).toEqual([])
  })

  it('deletes request and failure counts once they limit nobody', async () => {
    const limits = createSharedLimits(database)
    const abuse = { failures: 1, windowSeconds: 30, blockSeconds: 30 }
    const counter = { caller: 'ip:1', rateClass: 'text' }
    await limits.count(counter, 5, now)
    await limits.count({ ...counter, caller: 'ip:2' }, 5, now + 60_000)
    // the second failure blocks, and clears those before it
    for (const caller of ['ip:1', 'ip:2', 'ip:2']) await limits.fail(caller, abuse, now)
    const left = () =>
      database.query(`select (select array_agg(caller) from rate_window) as windows,
        (select array_agg(caller order by caller) from abuse) as failures`)
    await purgeLimits(database, now + 121_000)
    expect(await left()).toEqual([{ windows: ['ip:2'], failures: ['ip:1', 'ip:2'] }])
    await purgeLimits(database, now + 3_631_000)
    expect(await left()).toEqual([{ windows: null, failures: null }])
  })

  it('deletes voices and sign-in messages when they expire', async () => {
    await createVoices(database, () => now).create('key:a', 'm', 1_000)
    await createNonceStore(database).claim('0x1', 'n', now + 1_000)
    const left = () =>
      database.query(
        'select (select count(*) from voice) as voices, (select count(*) from siwx_nonce) as nonces',
      )
    await purge(database, now + 1_000)
    expect(await left()).toEqual([{ voices: 1n, nonces: 1n }])
    await purge(database, now + 1_001)
    expect(await left()).toEqual([{ voices: 0n, nonces: 0n }])
  })
})
