import type { ConsumptionLimit, LimitPeriod } from '@farebox/types'

/** The limits of a key. `expiresAt` is in milliseconds since 1970. */
export type KeyLimits = { readonly limit: ConsumptionLimit; readonly period: LimitPeriod; readonly expiresAt?: number }

export type WantedLimits = { readonly limit?: ConsumptionLimit; readonly period?: LimitPeriod; readonly expiresAt?: number }

export type BeyondMaker = { readonly status: 'beyond maker'; readonly field: 'consumptionLimit' | 'expiresAt'; readonly message: string }

/** From the shortest to the longest. */
const windows: readonly LimitPeriod[] = ['EPOCH', 'MONTH', 'LIFETIME']

/**
 * The limits of a key that another key makes. The default is the maker's limits. They also apply to
 * the new key, so a later end is refused, and more credit than the maker has in the same or a
 * longer window.
 */
export function withinMaker(wanted: WantedLimits, maker: KeyLimits): KeyLimits | BeyondMaker {
  const { limit = {}, period = 'EPOCH', expiresAt = maker.expiresAt } = wanted
  if (maker.expiresAt !== undefined && expiresAt !== undefined && expiresAt > maker.expiresAt) {
    return beyond('expiresAt', `Expected at most ${new Date(maker.expiresAt).toISOString()}, when the key that makes it ends.`)
  }
  const ends = expiresAt === undefined ? {} : { expiresAt }
  if (Object.values(limit).every((amount) => amount === undefined)) return { limit: maker.limit, period: maker.period, ...ends }
  const isWithin = windows.indexOf(period) <= windows.indexOf(maker.period)
  for (const unit of ['usd', 'diem', 'vcu'] as const) {
    const [asked, max] = [limit[unit], readMax(maker.limit, unit)]
    if (isWithin && asked !== undefined && max !== undefined && asked > max) {
      return beyond('consumptionLimit', `${unit}: Expected at most ${max}, which the key that makes it may spend (${maker.period}).`)
    }
  }
  return { limit, period, ...ends }
}

/** diem and vcu both limit the daily credit. */
function readMax({ usd, diem = Infinity, vcu = Infinity }: ConsumptionLimit, unit: keyof ConsumptionLimit): number | undefined {
  return unit === 'usd' ? usd : Math.min(diem, vcu)
}

function beyond(field: BeyondMaker['field'], message: string): BeyondMaker {
  return { status: 'beyond maker', field, message }
}
