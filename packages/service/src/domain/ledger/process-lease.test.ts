import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.js'
import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { createLedger } from './ledger.js'
import { leaseSeconds, openProcessLease } from './process-lease.js'

describe.each(engines)('on $engine', ({ open }) => {
  let database: Database
  let close: () => Promise<void>
  let serial = 0
  beforeAll(async () => {
    ;({ database, close } = await open())
    await migrate(database)
  })
  afterAll(() => close())

  /** A process with a hold of 10 on the account, or with several that came at once. */
  const processWith = async (processId: string, account: string, count: number) => {
    const ledger = createLedger(database, {
      now: Date.now,
      id: () => String(++serial).padStart(8, '0'),
      processId,
    })
    await ledger.openKeyAccount(account, 100n)
    const holdOne = () =>
      ledger.hold({ account, amount: 10n, requestId: 'r', modelId: null }, 3_600_000)
    await Promise.all(Array.from({ length: count }, holdOne))
    return ledger
  }
  /** What the process would find when it has been silent for a lease and a second. */
  const silence = (processId: string) =>
    database.query(
      `update process set alive_until = alive_until - make_interval(secs => $2) where id = $1`,
      [processId, leaseSeconds + 1],
    )

  it('releases the holds of a process whose lease expired, and keeps those of the others', async () => {
    const [lease] = [
      await openProcessLease(database, 'dead', false),
      await openProcessLease(database, 'alive', false),
    ]
    const dead = await processWith('dead', 'key:dead', 3)
    const alive = await processWith('alive', 'key:alive', 1)
    expect(await alive.releaseExpired()).toBe(0)
    await silence('dead')
    await lease.renew()
    expect(await alive.releaseExpired()).toBe(0)
    await silence('dead')
    expect(await alive.releaseExpired()).toBe(3)
    expect([await dead.balance('key:dead'), await alive.balance('key:alive')]).toEqual([100n, 90n])
    expect(await alive.audit()).toEqual([])
  })

  it('releases holds immediately for a process that has the folder to itself, and after a clean shutdown', async () => {
    await openProcessLease(database, 'killed', false)
    const killed = await processWith('killed', 'key:killed', 2)
    const lease = await openProcessLease(database, 'next', true)
    const next = await processWith('next', 'key:next', 1)
    await next.releaseExpired()
    expect([await killed.balance('key:killed'), await next.balance('key:next')]).toEqual([
      100n,
      90n,
    ])
    await lease.end()
    expect(await next.releaseExpired()).toBe(1)
    expect(await next.audit()).toEqual([])
  })
})
