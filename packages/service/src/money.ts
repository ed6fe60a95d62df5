/** Money is integer micro-USD everywhere inside: 1 USD is 1,000,000. */
export type MicroUsd = bigint

/** USD of the contract, a number, as micro-USD. Exact for every amount of at most six decimals. */
export function fromUsd(usd: number): MicroUsd {
  return BigInt(Math.round(usd * 1_000_000))
}

/** Micro-USD as USD of the contract. Exact up to nine billion USD. */
export function toUsd(micro: MicroUsd): number {
  return Number(micro) / 1_000_000
}

/** USD with six decimals: the form of X-Balance-Remaining. */
export function usdText(micro: MicroUsd): string {
  const digits = (micro < 0n ? -micro : micro).toString().padStart(7, '0')
  return `${micro < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}
