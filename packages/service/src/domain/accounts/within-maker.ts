import type { ConsumptionLimit, LimitPeriod } from '@farebox/types'

/** What a key may spend, and until when (milliseconds since 1970). */
export type KeyLimits = { readonly limit: ConsumptionLimit; readonly period: LimitPeriod; readonly expiresAt?: number }

/** What is asked for a new key. */
export type WantedLimits = { readonly limit?: ConsumptionLimit; readonly period?: LimitPeriod; readonly expiresAt?: number }

export type BeyondMaker = { readonly status: 'beyond maker'; readonly field: 'consumptionLimit' | 'expiresAt'; readonly message: string }

/** Each window lies within one of the next. */
const windows: readonly LimitPeriod[] = ['EPOCH', 'MONTH', 'LIFETIME']

/**
 * The limits of a key that another key makes; those of its maker where none are asked for. The
 * maker's limits hold for the new key as well, so what it could never reach is refused: a later
 * end, and more than the maker may spend in a window that lies within one of the maker's.
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
    const [asked, most] = [limit[unit], mostOf(maker.limit, unit)]
    if (isWithin && asked !== undefined && most !== undefined && asked > most) {
      return beyond('consumptionLimit', `${unit}: Expected at most ${most}, which the key that makes it may spend (${maker.period}).`)
    }
  }
  return { limit, period, ...ends }
}

/** diem and vcu both limit the daily credit. */
function mostOf({ usd, diem = Infinity, vcu = Infinity }: ConsumptionLimit, unit: keyof ConsumptionLimit): number | undefined {
  return unit === 'usd' ? usd : Math.min(diem, vcu)
}

function beyond(field: BeyondMaker['field'], message: string): BeyondMaker {
  return { status: 'beyond maker', field, message }
}
