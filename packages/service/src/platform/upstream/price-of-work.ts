import type { CostSettings, Prices } from './upstream-settings.js'

/** The work of one request, in the units of prices. */
export type Work = {
  readonly model: string
  /** Code points of a text to speak. */
  readonly characters?: number
  /** Of a video. */
  readonly seconds?: number
  /** Of a document. */
  readonly bytes?: number
}

/** Micro-USD times this are whole numbers in each unit. */
const scale = 1_000_000

/**
 * What an upstream bills for the work by its prices, in micro-USD, rounded up. Undefined where it
 * has no price for it.
 */
export function priceOfWork(
  { models, ...usual }: CostSettings,
  { model, characters = 0, seconds = 0, bytes = 0 }: Work,
): bigint | undefined {
  const prices: Prices = models?.[model] ?? usual
  const parts = [
    [prices.usdPerRequest, scale],
    [prices.usdPerMillionCharacters, characters],
    [prices.usdPerSecond, seconds * scale],
    [prices.usdPerMegabyte, bytes],
  ] as const
  const known = parts.flatMap(([usd, units]) => (usd === undefined ? [] : [BigInt(Math.round(usd * 1e6)) * BigInt(Math.ceil(units))]))
  if (known.length === 0) return undefined
  const sum = known.reduce((total, part) => total + part, 0n)
  return (sum + BigInt(scale - 1)) / BigInt(scale)
}
