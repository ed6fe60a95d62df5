import { expect, test } from 'vitest'
import { exponential } from './backoff.js'

test('the ceiling doubles with each attempt up to the cap', () => {
  const backoff = exponential({ base: 100, cap: 500, random: () => 1 })
  expect([1, 2, 3, 4, 5000].map(backoff)).toEqual([100, 200, 400, 500, 500])
})

test('the jitter is full: from nothing up to the ceiling', () => {
  expect(exponential({ random: () => 0 })(3)).toBe(0)
  expect(exponential({ random: () => 0.5 })(3)).toBe(500)
})

test('without options the first ceiling is 250 ms and the last 20 s', () => {
  const waits = Array.from({ length: 200 }, () => exponential()(1))
  expect(Math.max(...waits)).toBeLessThan(250)
  expect(exponential({ random: () => 1 })(30)).toBe(20_000)
})
