import { describe, expect, it } from 'vitest'
import { createPurse } from './purse.js'

describe('a purse', () => {
  it('lets calls spend up to the caps and not a fraction more', () => {
    const purse = createPurse({ maxUsdPerCall: 0.3, maxUsd: 0.5 })
    purse.take(0.1, 'a')
    purse.take(0.2, 'b')
    expect(() => purse.take(0.300001, 'c')).toThrow(
      'c costs 0.300001 USD, more than the 0.3 USD that one call may cost (--max-usd-per-call). Nothing was sent.',
    )
    expect(() => purse.take(0.25, 'd')).toThrow(
      'd costs 0.25 USD, and of the 0.5 USD that may be spent (--max-usd) 0.2 are left. Nothing was sent.',
    )
    purse.take(0.2, 'e')
    expect(purse.spentUsd()).toBe(0.5)
    expect(() => purse.take(0.0000001, 'f')).toThrow('--max-usd')
    purse.take(0, 'g')
  })

  it('takes back what was not charged, once', () => {
    const purse = createPurse({ maxUsdPerCall: 1, maxUsd: 1 })
    const { giveBack } = purse.take(1, 'a')
    giveBack()
    giveBack()
    expect(purse.spentUsd()).toBe(0)
  })

  it.each([Number.NaN, Infinity, -1])('refuses a price of %s', (price) => {
    expect(() => createPurse({ maxUsdPerCall: 1, maxUsd: 1 }).take(price, 'a')).toThrow('a: its price cannot be told, so nothing was sent.')
  })

  it('adds up without drift', () => {
    const purse = createPurse({ maxUsdPerCall: 1, maxUsd: 1 })
    for (let time = 0; time < 100; time++) purse.take(0.01, 'a')
    expect(purse.spentUsd()).toBe(1)
  })
})
