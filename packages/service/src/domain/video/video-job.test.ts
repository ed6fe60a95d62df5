import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.js'
import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { createLedger } from '../ledger/ledger.js'
import { createVideoJobs } from './jobs.js'

describe.each(engines)('on $engine', ({ open }) => {
  let database: Database
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ database, close } = await open())
    await migrate(database)
  })
  afterAll(() => close())

  it('a process that has lost its lease of a video, and sees it fail, leaves it to the next one', async () => {
    let now = Date.parse('2026-01-02T03:04:05Z')
    const ledger = createLedger(database, { now: () => now, id: () => crypto.randomUUID() })
    await ledger.openKeyAccount('key:a', 100n)
    const jobs = createVideoJobs(database, ledger, () => now)
    const purchase = { account: 'key:a', amount: 10n, requestId: 'r', modelId: 'm' }
    await jobs.add({ purchase, request: { prompt: 'x' }, seconds: 2, isPrivate: false })
    const stalled = await jobs.lease(1_000)
    now += 1_001
    const next = await jobs.lease(1_000)
    if (!stalled || !next) throw new Error('the job is not leased twice')
    await jobs.requeue(stalled)
    const failed = { state: 'failed', price: 0n, failure: 'The network is gone.' } as const
    expect(await jobs.end(stalled, failed)).toBe(false)
    const media = new Uint8Array([1])
    expect(await jobs.end(next, { state: 'completed', price: 10n, media })).toBe(true)
    expect(await jobs.find(next.id)).toMatchObject({ state: 'completed', hasMedia: true })
  })
})
