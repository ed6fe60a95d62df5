import { describe, expect, it } from 'vitest'
import { formatUsd, toMicroUsd, toUsd } from './money.js'

describe('money', () => {
  it('keeps cents exactly', () => {
    expect(toMicroUsd(0.01)).toBe(10_000n)
    expect(toMicroUsd(0.1 + 0.2)).toBe(300_000n)
    expect(toUsd(4_930_000n)).toBe(4.93)
    expect(toUsd(-10_000n)).toBe(-0.01)
  })

  it('shows six decimals', () => {
    expect(formatUsd(4_990_000n)).toBe('4.990000')
    expect(formatUsd(0n)).toBe('0.000000')
    expect(formatUsd(7n)).toBe('0.000007')
    expect(formatUsd(10_000_000_001n)).toBe('10000.000001')
  })

  it('rejects invalid amounts', () => {
    expect(() => toMicroUsd(Number.NaN)).toThrow('NaN USD is not an amount')
    expect(() => toMicroUsd(1e12)).toThrow(RangeError)
  })
})
