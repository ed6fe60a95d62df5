import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryLimits, toQuota, findFreeSecond } from './limits.js'

const start = Date.parse('2026-01-02T03:04:05.678Z')
const counter = { caller: 'a', rateClass: 'x' }

/** A caller of one class with its own clock, whose steps are remembered. */
function createCaller(limit: number) {
  const limits = createMemoryLimits()
  const admitted: number[] = []
  const clock = { time: start }
  const request = async () => {
    const { admitted: yes, recent } = await limits.count(counter, limit, clock.time)
    if (yes) admitted.push(clock.time)
    return {
      admitted: yes,
      ...toQuota({ recent, rejected: !yes }, { requests: limit, tokens: 1_000_000 }, clock.time),
    }
  }
  return {
    clock,
    admitted,
    request,
    within: (ms: number) => admitted.filter((time) => time > clock.time - ms).length,
  }
}

const limits = fc.integer({ min: 1, max: 12 })
/** From a burst to pauses of more than a minute. */
const gaps = fc.array(
  fc.oneof(
    fc.constant(0),
    fc.integer({ min: 1, max: 999 }),
    fc.integer({ min: 1, max: 20_000 }),
    fc.integer({ min: 50_000, max: 70_000 }),
  ),
  {
    minLength: 1,
    maxLength: 80,
  },
)

describe('the sliding window of a class', () => {
  it('admits no more than the limit in any 60 s, and rejects no caller below it over 61 s', async () => {
    await fc.assert(
      fc.asyncProperty(limits, gaps, async (limit, steps) => {
        const { clock, request, within } = createCaller(limit)
        for (const gap of steps) {
          clock.time += gap
          const before = within(61_000)
          const { admitted } = await request()
          expect(within(60_000)).toBeLessThanOrEqual(limit)
          if (before < limit) expect(admitted).toBe(true)
        }
      }),
    )
  })

  it('admits a caller at the time that its 429 named, but not a millisecond earlier', async () => {
    await fc.assert(
      fc.asyncProperty(limits, gaps, async (limit, steps) => {
        const { clock, request } = createCaller(limit)
        for (const gap of steps) {
          clock.time += gap
          const { admitted, resetsAt } = await request()
          if (admitted) continue
          clock.time = resetsAt * 1000 - 1
          expect((await request()).admitted).toBe(false)
          clock.time += 1
          expect((await request()).admitted).toBe(true)
        }
      }),
    )
  })

  it('admits as many requests as remained, whenever they come, and half of the limit at the reset', async () => {
    await fc.assert(
      fc.asyncProperty(limits, gaps, gaps, async (limit, steps, later) => {
        const { clock, request } = createCaller(limit)
        let last = await request()
        for (const gap of steps) {
          clock.time += gap
          const response = await request()
          if (response.admitted) last = response
        }
        for (const gap of later.slice(0, last.remaining)) {
          clock.time += gap
          const next = await request()
          expect(next.admitted).toBe(true)
          expect(next.resetsAt).toBeGreaterThanOrEqual(last.resetsAt)
          last = next
        }
        clock.time = Math.max(clock.time, last.resetsAt * 1000)
        for (let count = 0; count < Math.max(1, Math.floor(limit / 2)); count++)
          expect((await request()).admitted).toBe(true)
      }),
    )
  })
})

describe('findFreeSecond', () => {
  it('returns the second at which enough requests have left the window', () => {
    const window = [
      [100, 2],
      [110, 1],
      [130, 4],
    ] as const
    expect([1, 2, 3, 4, 5, 7].map((slots) => findFreeSecond(window, 7, slots))).toEqual([
      161, 161, 171, 191, 191, 191,
    ])
    expect([1, 2].map((slots) => findFreeSecond(window, 9, slots))).toEqual([0, 0])
  })
})
