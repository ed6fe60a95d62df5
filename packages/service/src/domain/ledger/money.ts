/** Whole millionths of a US dollar, whose sums are exact. */
export type MicroUsd = bigint

/** One micro-USD. */
export const minUsd = 0.000_001

/** Up to this amount, micro-USD are exact in a double. */
export const maxUsd = 9_000_000_000

/** The nearest whole number of micro-USD. */
export function toMicroUsd(usd: number): MicroUsd {
  const units = Math.round(usd * 1e6)
  if (!Number.isSafeInteger(units))
    throw new RangeError(`Money: ${usd} USD is not an amount that can be kept`)
  return BigInt(units)
}

/** The number of dollars that is closest to the amount. */
export function toUsd(amount: MicroUsd): number {
  return Number(amount) / 1e6
}

/** With six decimals, as X-Balance-Remaining has it. */
export function formatUsd(amount: MicroUsd): string {
  const digits = String(amount).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** Units at prices for a million of them: an exact sum, rounded up to a micro-USD once. */
export function sumPricesPerMillion(
  parts: readonly (readonly [units: number, priceOfMillion: MicroUsd])[],
): MicroUsd {
  const sum = parts.reduce((total, [units, price]) => total + BigInt(units) * price, 0n)
  return (sum + 999_999n) / 1_000_000n
}
