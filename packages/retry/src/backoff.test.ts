import { expect, test } from 'vitest'
import { exponential } from './backoff.js'

test('the ceiling doubles with each attempt up to the cap', () => {
  const backoff = exponential({ base: 100, cap: 500, random: () => 1 })
  expect([1, 2, 3, 4, 5000].map(backoff)).toEqual([100, 200, 400, 500, 500])
})

test('the jitter is full: from a tenth of the ceiling to the ceiling', () => {
  expect([1, 2, 3, 5000].map(exponential({ random: () => 0 }))).toEqual([25, 50, 100, 2000])
  expect(exponential({ random: () => 0.5 })(3)).toBe(550)
})

test('the waits of many clients are spread evenly over the whole range', () => {
  const clients = 900
  const waits = Array.from({ length: clients }, (_, client) =>
    exponential({ base: 1000, random: () => client / clients })(1),
  )
  const tenths = Array.from(
    { length: 9 },
    (_, tenth) => waits.filter((wait) => Math.floor(wait / 100 + 1e-9) === tenth + 1).length,
  )
  expect(tenths).toEqual(Array.from({ length: 9 }, () => clients / 9))
})

test('without options the first ceiling is 250 ms and the last 20 s', () => {
  const waits = Array.from({ length: 200 }, () => exponential()(1))
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(25)
  expect(Math.max(...waits)).toBeLessThan(250)
  expect(exponential({ random: () => 1 })(30)).toBe(20_000)
})
