import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { startService } from '../../test/harness.js'
import { DatabaseUnavailableError } from '../platform/database/storage-error.js'
import type { Database } from '../platform/database/database.js'

/** A database that goes away when told to, or right after a statement, whose response is lost. */
async function openUnreliableDatabase() {
  const database = await openEmptyDatabase()
  let isAway = false
  let last: RegExp | undefined
  const gone = () => new DatabaseUnavailableError(new Error('Connection terminated unexpectedly'))
  const query: Database['query'] = async (sql, params) => {
    if (isAway) throw gone()
    const rows = await database.query(sql, params)
    if (last?.test(sql) !== true) return rows as never
    isAway = true
    throw gone()
  }
  return {
    database: { ...database, query },
    goAway: () => void (isAway = true),
    goAwayAfter: (statement: RegExp) => void (last = statement),
    comeBack: () => {
      isAway = false
      last = undefined
    },
  }
}

const upkeepMs = 20_000

describe('a request that fails because the database goes away', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  it.each<['before the hold is released' | RegExp, bigint]>([
    ['before the hold is released', 990_000n],
    [/insert into keyed_request/, 1_000_000n],
    [/insert into hold/, 990_000n],
    [/insert into entry/, 990_000n],
  ])(
    '%s: the next upkeep returns its credit, held or charged, and frees its Idempotency-Key',
    async (moment, left) => {
      const { database, goAway, goAwayAfter, comeBack } = await openUnreliableDatabase()
      let isFirst = true
      const parse = async () => {
        if (moment instanceof RegExp || !isFirst) return { text: 'Tram fares', tokens: 2 }
        isFirst = false
        goAway()
        throw new Error('The work fails.')
      }
      const farebox = await startService({
        database,
        textParser: { parse, close: async () => undefined },
      })
      const wallet = await farebox.richWallet(1)
      const ask = async () => {
        const headers = { ...(await farebox.signIn(wallet)), 'idempotency-key': 'fares' }
        const body = new FormData()
        body.append('file', new Blob(['Tram fares']), 'a.txt')
        return farebox.call('parseText', '/augment/text-parser', { method: 'POST', body, headers })
      }
      if (moment instanceof RegExp) goAwayAfter(moment)

      expect(await ask()).toMatchObject({
        status: 503,
        json: { code: 'DATABASE_UNAVAILABLE' },
      })
      await vi.advanceTimersByTimeAsync(upkeepMs)
      comeBack()
      expect(await farebox.ledger.balance(wallet.address)).toBe(left)
      expect(await ask()).toMatchObject({ status: 409, json: { code: 'IDEMPOTENCY_IN_PROGRESS' } })

      await vi.advanceTimersByTimeAsync(upkeepMs)
      await expect.poll(() => farebox.ledger.balance(wallet.address)).toBe(1_000_000n)
      await expect.poll(async () => (await ask()).status).toBe(200)
      expect(await farebox.ledger.balance(wallet.address)).toBe(990_000n)
      expect(await farebox.ledger.audit()).toEqual([])
      expect(farebox.crashes.map(String)).toEqual([])
      await farebox.service.close()
    },
  )
})

describe('a video whose queueing fails because the database goes away', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  const model = 'local-test-clip'
  const given = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    )

  it.each([
    ['though it is in the queue', /insert into video_job/, 1n],
    ['after it is in the queue', /from video_job j join account a .* where j\.id = \$1/, 1n],
    ['before it is in the queue', /insert into video_input/, 0n],
  ])(
    '%s: the next upkeep removes it, returns its credit and frees its Idempotency-Key',
    async (_when, statement, jobs) => {
      const { database, goAwayAfter, comeBack } = await openUnreliableDatabase()
      const farebox = await startService({
        database,
        video: { name: 'endless', render: (_order, signal) => given(signal) },
      })
      const wallet = await farebox.richWallet(1)
      const queue = async () => {
        const headers = {
          ...(await farebox.signIn(wallet)),
          'idempotency-key': 'tram',
          'content-type': 'application/json',
        }
        const body = JSON.stringify({ model, prompt: 'A tram', duration: '5s' })
        return farebox.call('queueVideo', '/video/queue', { method: 'POST', headers, body })
      }
      const queued = async () =>
        (await database.query<{ jobs: bigint }>('select count(*) as jobs from video_job'))[0]?.jobs
      goAwayAfter(statement)
      expect(await queue()).toMatchObject({ status: 503, json: { code: 'DATABASE_UNAVAILABLE' } })
      await vi.advanceTimersByTimeAsync(upkeepMs)
      comeBack()
      expect(await queued()).toBe(jobs)

      await vi.advanceTimersByTimeAsync(upkeepMs)
      await expect.poll(() => farebox.ledger.balance(wallet.address)).toBe(1_000_000n)
      await expect.poll(queued).toBe(0n)
      await expect.poll(async () => (await queue()).status).toBe(200)
      expect(await queued()).toBe(1n)
      expect(await farebox.ledger.audit()).toEqual([])
      expect(farebox.crashes.map(String)).toEqual([])
      await farebox.service.close()
    },
  )

  it('is removed and refunded before the process ends', async () => {
    const { database, goAwayAfter, comeBack } = await openUnreliableDatabase()
    onTestFinished(database.close)
    const kept = { ...database, close: async () => undefined }
    const farebox = await startService({
      database: kept,
      video: { name: 'endless', render: (_order, signal) => given(signal) },
    })
    const wallet = await farebox.richWallet(1)
    goAwayAfter(/insert into video_job/)
    const headers = { ...(await farebox.signIn(wallet)), 'content-type': 'application/json' }
    const body = JSON.stringify({ model, prompt: 'A tram', duration: '5s' })
    expect(
      await farebox.call('queueVideo', '/video/queue', { method: 'POST', headers, body }),
    ).toMatchObject({ status: 503 })
    comeBack()
    await farebox.service.close()
    const rows = await database.query<{ jobs: bigint; held: bigint }>(
      `select (select count(*) from video_job) as jobs, (select count(*) from hold where state = 'held') as held`,
    )
    expect(rows).toEqual([{ jobs: 0n, held: 0n }])
  })
})
