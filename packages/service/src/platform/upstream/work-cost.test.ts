import { expect, it } from 'vitest'
import { readCost } from './work-cost.js'

it.each([
  ['0.0123', 12_300n],
  ['3', 3_000_000n],
  ['0.0000001', 1n],
  ['1.000000', 1_000_000n],
  ['0', 0n],
  ['-1', undefined],
  ['3.5e-05', 35n],
  ['1.25E-6', 2n],
  ['1e-99', 1n],
  ['1e+3', 1_000_000_000n],
  ['1e9', undefined],
  ['1e', undefined],
  ['999999999.999999', 999_999_999_999_999n],
  ['free', undefined],
])('a reported cost of %s USD is %s micro-USD', (text, cost) => {
  expect(readCost(new Headers({ 'x-cost': text }), 'x-cost').costMicroUsd).toBe(cost)
})

it('returns no cost without a header', () => {
  expect(readCost(new Headers(), 'x-cost')).toEqual({})
  expect(readCost(new Headers({ 'x-cost': '1' }), undefined)).toEqual({})
})
