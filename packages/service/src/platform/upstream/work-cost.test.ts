import { expect, it } from 'vitest'
import { readCost } from './work-cost.js'

it.each([
  ['0.0123', 12_300n],
  ['3', 3_000_000n],
  ['0.0000001', 1n],
  ['1.000000', 1_000_000n],
  ['0', 0n],
  ['-1', undefined],
  ['1e3', undefined],
  ['free', undefined],
])('a reported cost of %s USD is %s micro-USD', (text, cost) => {
  expect(readCost(new Headers({ 'x-cost': text }), 'x-cost').costMicroUsd).toBe(cost)
})

it('no header is no cost', () => {
  expect(readCost(new Headers(), 'x-cost')).toEqual({})
  expect(readCost(new Headers({ 'x-cost': '1' }), undefined)).toEqual({})
})
