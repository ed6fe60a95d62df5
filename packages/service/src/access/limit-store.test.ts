import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines, type OpenDatabase } from '../../test/databases.js'
import { migrate } from '../database/migrate.js'
import type { LimitStore } from './limit-store.js'
import { createMemoryLimits } from './memory-limits.js'
import { createSharedLimits } from './shared-limits.js'

const abuse = { failures: 3, windowSeconds: 30, blockSeconds: 30 }
const now = Date.parse('2026-01-02T03:04:05Z')

const stores = [
  { name: 'memory', open: async () => ({ store: createMemoryLimits(), close: async () => undefined }) },
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
    const counts = await Promise.all(Array.from({ length: 30 }, () => store.take({ caller: 'a', rateClass: 'audio', number: 1 }, 10, now)))
    expect(
      counts
        .filter(({ used }) => used <= 10)
        .map(({ used }) => used)
        .sort((one, other) => one - other),
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(counts.filter(({ used }) => used === 11)).toHaveLength(20)
  })

  it('count each caller, class and window by itself', async () => {
    const used = async (caller: string, rateClass: string, number: number) =>
      (await store.take({ caller, rateClass, number }, 10, now)).used
    expect([await used('b', 'audio', 1), await used('b', 'image', 1), await used('c', 'audio', 1)]).toEqual([1, 1, 1])
    expect([await used('b', 'audio', 1), await used('b', 'audio', 2), await used('b', 'audio', 2)]).toEqual([2, 1, 2])
    expect(await store.peek({ caller: 'b', rateClass: 'audio', number: 2 })).toMatchObject({ used: 2 })
  })

  it('block after too many failures, count nothing meanwhile, and forget', async () => {
    const blocked = async (time: number) =>
      ((await store.take({ caller: 'd', rateClass: 'x', number: 9 }, 100, time)).blockedUntil ?? 0) > time
    for (let count = 0; count < 3; count++) await store.fail('d', abuse, now + count)
    expect(await blocked(now + 3)).toBe(false)
    await store.fail('d', abuse, now + 4)
    expect(await blocked(now + 5)).toBe(true)
    const { used } = await store.peek({ caller: 'd', rateClass: 'x', number: 9 })
    for (let count = 0; count < 9; count++) await store.fail('d', abuse, now + 6)
    expect(await blocked(now + 30_003)).toBe(true)
    expect((await store.peek({ caller: 'd', rateClass: 'x', number: 9 })).used).toBe(used)
    expect(await blocked(now + 30_004)).toBe(false)
    await store.fail('d', abuse, now + 30_005)
    expect(await blocked(now + 30_006)).toBe(false)
  })

  it('do not add up failures that are further apart', async () => {
    for (let count = 0; count < 9; count++) await store.fail('e', abuse, now + count * 10_001)
    const { blockedUntil } = await store.peek({ caller: 'e', rateClass: 'x', number: 9 })
    expect(blockedUntil).toBeUndefined()
  })
})
