import type { MicroUsd } from '../ledger/money.js'

/** Units at prices for a million of them: an exact sum, rounded up to a micro-USD once. */
export function perMillion(
  parts: readonly (readonly [units: number, priceOfMillion: MicroUsd])[],
): MicroUsd {
  const sum = parts.reduce((total, [units, price]) => total + BigInt(units) * price, 0n)
  return (sum + 999_999n) / 1_000_000n
}
