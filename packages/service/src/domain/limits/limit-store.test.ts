import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countRowsRead } from '../../../test/count-rows-read.js'
import { openEmptyDatabase } from '../../../test/empty-database.js'
import { engines, type OpenDatabase } from '../../../test/databases.js'
import { migrate } from '../../platform/database/migrate.js'
import { type LimitStore, createMemoryLimits, countRequests } from './limits.js'
import { createSharedLimits } from './shared-limits.js'

const abuse = { failures: 3, windowSeconds: 30, blockSeconds: 30 }
const now = Date.parse('2026-01-02T03:04:05Z')
const second = now / 1000

const stores = [
  {
    name: 'memory',
    open: async () => ({ store: createMemoryLimits(), close: async () => undefined }),
  },
  ...engines.map(({ engine, open }) => ({
    name: engine,
    open: async () => {
      const opened: OpenDatabase = await open()
      await migrate(opened.database)
      return { store: createSharedLimits(opened.database), close: opened.close }
    },
  })),
]

describe.each(stores)('limits in $name', ({ open }) => {
  let store: LimitStore
  let close: () => Promise<void>
  beforeAll(async () => void ({ store, close } = await open()))
  afterAll(() => close())

  it('let exactly the limit of parallel requests through', async () => {
    const counts = await Promise.all(
      Array.from({ length: 30 }, () => store.count({ caller: 'a', rateClass: 'audio' }, 10, now)),
    )
    const admitted = counts.filter((count) => count.admitted)
    expect(
      admitted.map(({ recent }) => countRequests(recent)).sort((one, other) => one - other),
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(counts.filter((count) => !count.admitted).map(({ recent }) => recent)).toEqual(
      Array.from({ length: 20 }, () => [[second, 10]]),
    )
  })

  it('count amounts that are corrected later', async () => {
    const counter = { caller: 'tokens', rateClass: 'tokens S' }
    const count = (amount: number, at = now) => store.count(counter, 100, at, amount)
    expect((await count(101)).admitted).toBe(false)
    expect(await count(60)).toMatchObject({ admitted: true, recent: [[second, 60]] })
    expect((await count(41)).admitted).toBe(false)
    await store.adjust(counter, second, -20)
    expect(await count(60, now + 2_000)).toMatchObject({
      admitted: true,
      recent: [
        [second, 40],
        [second + 2, 60],
      ],
    })
    await Promise.all([
      store.adjust(counter, second + 2, 10),
      store.adjust(counter, second + 2, 5),
      store.adjust(counter, second, -1_000),
      // too old to count
      store.adjust(counter, second - 500, 5),
      store.adjust({ caller: 'unknown', rateClass: 'tokens S' }, second, 5),
    ])
    expect((await store.read(counter, now + 2_000)).recent).toEqual([
      [second, 0],
      [second + 2, 75],
    ])
  })

  it('let exactly the allowed amount of parallel requests through', async () => {
    const counter = { caller: 'parallel', rateClass: 'tokens S' }
    const counts = await Promise.all(
      Array.from({ length: 20 }, () => store.count(counter, 100, now, 15)),
    )
    expect(counts.filter(({ admitted }) => admitted).length).toBe(6)
  })

  it('count concurrent requests of different amounts up to the limit', async () => {
    const counter = { caller: 'mixed', rateClass: 'tokens S' }
    const amounts = [30, 30, 0, 50, 30, 5, 30, 0]
    const counts = await Promise.all(
      amounts.map((amount) => store.count(counter, 100, now, amount)),
    )
    const { recent } = await store.read(counter, now)
    const admitted = amounts.filter((_, index) => counts[index]?.admitted)
    expect(admitted.reduce((sum, amount) => sum + amount, 0)).toBe(countRequests(recent))
    expect(countRequests(recent)).toBeGreaterThan(70)
    expect(countRequests(recent)).toBeLessThanOrEqual(100)
    expect(admitted.filter((amount) => amount === 0)).toEqual([0, 0])
  })

  it('count each caller and class separately', async () => {
    const used = async (caller: string, rateClass: string) =>
      countRequests((await store.count({ caller, rateClass }, 10, now)).recent)
    expect([
      await used('b', 'audio'),
      await used('b', 'image'),
      await used('c', 'audio'),
      await used('b', 'audio'),
    ]).toEqual([1, 1, 1, 2])
    expect(await store.read({ caller: 'b', rateClass: 'audio' }, now)).toMatchObject({
      recent: [[second, 2]],
    })
    expect(await store.read({ caller: 'nobody', rateClass: 'audio' }, now)).toMatchObject({
      recent: [],
    })
  })

  it('count a request until its second is a minute old', async () => {
    const take = async (ms: number) => {
      const { admitted, recent } = await store.count(
        { caller: 'f', rateClass: 'audio' },
        2,
        now + ms,
      )
      return [admitted, recent]
    }
    expect(await take(999)).toEqual([true, [[second, 1]]])
    expect(await take(2000)).toEqual([
      true,
      [
        [second, 1],
        [second + 2, 1],
      ],
    ])
    expect(await take(60_999)).toEqual([
      false,
      [
        [second, 1],
        [second + 2, 1],
      ],
    ])
    expect(await take(61_000)).toEqual([
      true,
      [
        [second + 2, 1],
        [second + 61, 1],
      ],
    ])
    expect((await store.read({ caller: 'f', rateClass: 'audio' }, now + 63_000)).recent).toEqual([
      [second + 61, 1],
    ])
  })

  it('keep their counts when the clock is set back', async () => {
    const take = async (ms: number) =>
      (await store.count({ caller: 'g', rateClass: 'audio' }, 3, now + ms)).recent
    await take(5000)
    expect(await take(0)).toEqual([[second + 5, 2]])
    expect(await take(6000)).toEqual([
      [second + 5, 2],
      [second + 6, 1],
    ])
  })

  it('count any requests like the in-memory store', async () => {
    let run = 0
    const step = fc.record({
      wait: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90_000 })),
      amounts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
      correction: fc.integer({ min: -3, max: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(step, { minLength: 1, maxLength: 12 }),
        async (limit, steps) => {
          const counter = { caller: `any ${++run}`, rateClass: 'audio' }
          const memory = createMemoryLimits()
          let time = now
          for (const { wait, amounts, correction } of steps) {
            time += wait
            for (const amount of amounts) {
              const { admitted, recent } = await memory.count(counter, limit, time, amount)
              const count = await store.count(counter, limit, time, amount)
              expect(count).toMatchObject({ admitted, recent })
            }
            const at = Math.floor(time / 1000)
            await Promise.all([store, memory].map((one) => one.adjust(counter, at, correction)))
          }
          expect((await store.read(counter, time)).recent).toEqual(
            (await memory.read(counter, time)).recent,
          )
        },
      ),
      { numRuns: 30 },
    )
  })

  it('block after too many failures, count nothing meanwhile, and forget', async () => {
    const counter = { caller: 'd', rateClass: 'x' }
    const blocked = async (time: number) =>
      ((await store.count(counter, 100, time)).blockedUntil ?? 0) > time
    const used = async () => countRequests((await store.read(counter, now)).recent)
    for (let count = 0; count < 3; count++)
      expect(await store.fail('d', abuse, now + count)).toBeUndefined()
    expect(await blocked(now + 3)).toBe(false)
    expect(await store.fail('d', abuse, now + 4)).toBe(now + 30_004)
    const within = await store.count(
      { ...counter, caller: 'other', parties: ['other', 'd'] },
      100,
      now + 5,
    )
    expect([within.admitted, within.blockedUntil]).toEqual([false, now + 30_004])
    expect(await blocked(now + 5)).toBe(true)
    expect(await used()).toBe(1)
    for (let count = 0; count < 9; count++) await store.fail('d', abuse, now + 6)
    expect(await blocked(now + 30_003)).toBe(true)
    expect(await used()).toBe(1)
    expect(await blocked(now + 30_004)).toBe(false)
    await store.fail('d', abuse, now + 30_005)
    expect(await blocked(now + 30_006)).toBe(false)
  })

  it('do not add up failures outside the window', async () => {
    for (let count = 0; count < 9; count++) await store.fail('e', abuse, now + count * 10_001)
    const { blockedUntil } = await store.read({ caller: 'e', rateClass: 'x' }, now)
    expect(blockedUntil).toBeUndefined()
  })
})

it('reads no windows of other callers, however many there are', async () => {
  const database = await openEmptyDatabase()
  await database.query(
    `insert into rate_window (caller, class, seconds, requests, admitted)
     select 'caller ' || n, 'text', array[$1::int], array[1], 1 from generate_series(1, 5000) n`,
    [second],
  )
  await database.query('analyze rate_window')
  const explained = countRowsRead(database)
  const store = createSharedLimits(explained)
  const counter = { caller: 'caller 7', rateClass: 'text' }
  await store.count(counter, 100, now)
  await store.count(counter, 1, now)
  await store.adjust(counter, second, 5)
  expect(explained.rowsRead()).toBeLessThan(500)
  // what is explained with `analyze` is run twice
  expect((await store.read(counter, now)).recent).toEqual([[second, 13]])
  await database.close()
})
