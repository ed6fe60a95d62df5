import type { ConsumptionLimit } from '@farebox/types'
import { changeInStorage } from '../../platform/database/change-in-storage.js'
import { leastUsd, mostUsd } from '../ledger/money.js'

export type KeyWish = {
  readonly description?: string | undefined
  readonly consumptionLimit?: ConsumptionLimit | null | undefined
  /** RFC 3339. */
  readonly expiresAt?: string | null | undefined
}

export type KeyFault = { readonly field: keyof KeyWish; readonly message: string }

/** RFC 3339 has four digits for a year, but an offset can move a date beyond them in UTC. */
const year10000 = Date.UTC(10_000, 0)

/** The fault of a new or changed key, beyond its form. `now` in milliseconds since 1970. */
export function faultOfKey({ description, consumptionLimit, expiresAt }: KeyWish, now: number): KeyFault | undefined {
  const change = description === undefined ? undefined : changeInStorage(description)
  if (change !== undefined) return { field: 'description', message: change }
  for (const [unit, amount] of Object.entries(consumptionLimit ?? {})) {
    if (typeof amount === 'number' && !(amount >= 0 && amount <= mostUsd))
      return { field: 'consumptionLimit', message: `${unit}: Expected 0 to ${mostUsd}.` }
    // it would be kept as 0, and nobody said so
    if (typeof amount === 'number' && amount > 0 && amount < leastUsd)
      return { field: 'consumptionLimit', message: `${unit}: Expected 0, or at least ${leastUsd.toFixed(6)}, the smallest unit.` }
  }
  if (expiresAt === undefined || expiresAt === null) return undefined
  const expires = Date.parse(expiresAt)
  if (!(expires > now)) return { field: 'expiresAt', message: 'Expected a time to come.' }
  if (expires >= year10000) return { field: 'expiresAt', message: 'Expected a time before the year 10000 in UTC.' }
  return undefined
}
