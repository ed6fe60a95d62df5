import { describe, expect, it } from 'vitest'
import { createBudget } from './call-tool.js'

describe('a budget', () => {
  it('lets calls spend up to the caps and not a fraction more', () => {
    const budget = createBudget({ maxUsdPerCall: 0.3, maxUsd: 0.5 })
    budget.reserve(0.1, 'a')
    budget.reserve(0.2, 'b')
    expect(() => budget.reserve(0.300001, 'c')).toThrow(
      'c costs 0.300001 USD, more than the 0.3 USD that one call may cost (--max-usd-per-call). Nothing was sent.',
    )
    expect(() => budget.reserve(0.25, 'd')).toThrow(
      'd costs 0.25 USD, and of the 0.5 USD that may be spent (--max-usd) 0.2 are left. Nothing was sent.',
    )
    budget.reserve(0.2, 'e')
    expect(budget.spentUsd()).toBe(0.5)
    expect(() => budget.reserve(0.0000001, 'f')).toThrow('--max-usd')
    budget.reserve(0, 'g')
  })

  it('frees what was not charged, once', () => {
    const budget = createBudget({ maxUsdPerCall: 1, maxUsd: 1 })
    const { release } = budget.reserve(1, 'a')
    release()
    release()
    expect(budget.spentUsd()).toBe(0)
  })

  it.each([Number.NaN, Infinity, -1])('rejects a price of %s', (price) => {
    expect(() => createBudget({ maxUsdPerCall: 1, maxUsd: 1 }).reserve(price, 'a')).toThrow(
      'a: its price is unknown, so nothing was sent.',
    )
  })

  it('adds up without drift', () => {
    const budget = createBudget({ maxUsdPerCall: 1, maxUsd: 1 })
    for (let time = 0; time < 100; time++) budget.reserve(0.01, 'a')
    expect(budget.spentUsd()).toBe(1)
  })
})
