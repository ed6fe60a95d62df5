import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openDatabaseClock } from './database-clock.js'
import type { Database } from './database.js'

const start = Date.parse('2026-01-02T03:04:05Z')
/** What the database's clock says when the steady clock says 0. */
let databaseStart: number
const database = {
  query: async () => [{ now: new Date(databaseStart + performance.now()) }],
} as unknown as Database

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: start })
  databaseStart = start - performance.now()
})
afterEach(() => void vi.useRealTimers())

it('returns the time of the database, and how far this machine is ahead', async () => {
  databaseStart -= 5_000
  const clock = await openDatabaseClock(database)
  vi.advanceTimersByTime(1_000)
  expect([clock.now(), clock.skewMs()]).toEqual([start - 4_000, 5_000])
  expect(clock.fault()).toBeUndefined()
})

it.each([
  [30_000, undefined],
  [30_001, '30 s ahead of'],
  [-172_800_000, '172800 s behind'],
])('trusts both clocks up to 30 s: %i ms', async (ahead, said) => {
  databaseStart -= ahead
  const fault = (await openDatabaseClock(database)).fault()
  if (said === undefined) expect(fault).toBeUndefined()
  else
    expect(fault?.message).toContain(`The clock of this machine is ${said} that of the database.`)
})

it("does not move when the machine's clock is set back, and is correct after the next comparison", async () => {
  const clock = await openDatabaseClock(database)
  vi.setSystemTime(start - 3_600_000)
  vi.advanceTimersByTime(1_000)
  expect(clock.now()).toBe(start + 1_000)
  await clock.compare()
  expect([clock.now(), clock.skewMs()]).toEqual([start + 1_000, -3_600_000])
})

it('is not late after the machine was suspended while the monotonic clock stood still', async () => {
  const clock = await openDatabaseClock(database)
  vi.setSystemTime(start + 3_600_000)
  expect(clock.now()).toBe(start + 3_600_000)
})

it("adds half of the database's response time", async () => {
  const slow = {
    query: async () => {
      vi.advanceTimersByTime(1_000)
      const row = { now: new Date(start + 1_000) }
      vi.advanceTimersByTime(1_000)
      return [row]
    },
  } as unknown as Database
  expect((await openDatabaseClock(slow)).skewMs()).toBe(0)
})
