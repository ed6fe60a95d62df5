import type { ConsumptionLimit, LimitPeriod } from '@farebox/types'
import { changeInStorage } from '../../platform/database/storage-error.js'
import { minUsd, maxUsd, toUsd } from '../ledger/money.js'
import type { KeyRecord, KeyUsage } from './key-records.js'

export type KeyWish = {
  readonly description?: string | undefined
  readonly consumptionLimit?: ConsumptionLimit | null | undefined
  /** RFC 3339. */
  readonly expiresAt?: string | null | undefined
}

type KeyFault = { readonly field: keyof KeyWish; readonly message: string }

/** RFC 3339 has four digits for a year, but an offset can move a date beyond them in UTC. */
const year10000 = Date.UTC(10_000, 0)

/**
 * The error in the fields of a new or changed key that its schema does not find. `now` in
 * milliseconds since 1970.
 */
export function findKeyFault(
  { description, consumptionLimit, expiresAt }: KeyWish,
  now: number,
): KeyFault | undefined {
  const change = description === undefined ? undefined : changeInStorage(description)
  if (change !== undefined) return { field: 'description', message: change }
  for (const [unit, amount] of Object.entries(consumptionLimit ?? {})) {
    if (typeof amount === 'number' && !(amount >= 0 && amount <= maxUsd))
      return { field: 'consumptionLimit', message: `${unit}: Expected 0 to ${maxUsd}.` }
    // it would silently be rounded to 0
    if (typeof amount === 'number' && amount > 0 && amount < minUsd)
      return {
        field: 'consumptionLimit',
        message: `${unit}: Expected 0, or at least ${minUsd.toFixed(6)}, the smallest unit.`,
      }
  }
  if (expiresAt === undefined || expiresAt === null) return undefined
  const expires = Date.parse(expiresAt)
  if (!(expires > now)) return { field: 'expiresAt', message: 'Expected a time in the future.' }
  if (expires >= year10000)
    return { field: 'expiresAt', message: 'Expected a time before the year 10000 in UTC.' }
  return undefined
}

/** The limits of a key. `expiresAt` is in milliseconds since 1970. */
export type KeyLimits = {
  readonly limit: ConsumptionLimit
  readonly period: LimitPeriod
  readonly expiresAt?: number
}

export type WantedLimits = {
  readonly limit?: ConsumptionLimit
  readonly period?: LimitPeriod
  readonly expiresAt?: number
}

export type BeyondMaker = {
  readonly status: 'beyond maker'
  readonly field: 'consumptionLimit' | 'expiresAt'
  readonly message: string
}

/** From the shortest to the longest. */
const windows: readonly LimitPeriod[] = ['EPOCH', 'MONTH', 'LIFETIME']

/**
 * The limits of a key created by another key, whose limits are the default. Those apply to the new
 * key as well, so a later end is rejected, and so is more credit in the same or a longer window.
 */
export function limitToMaker(limits: WantedLimits, maker: KeyLimits): KeyLimits | BeyondMaker {
  const { limit = {} } = limits
  const { period = hasNone(limit) ? maker.period : 'EPOCH', expiresAt = maker.expiresAt } = limits
  if (maker.expiresAt !== undefined && expiresAt !== undefined && expiresAt > maker.expiresAt) {
    return reportBeyondMaker(
      'expiresAt',
      `Expected at most ${new Date(maker.expiresAt).toISOString()}, when the key that makes it ends.`,
    )
  }
  const ends = expiresAt === undefined ? {} : { expiresAt }
  if (hasNone(limit) && !hasNone(maker.limit))
    return { limit: maker.limit, period: maker.period, ...ends }
  const isWithin = windows.indexOf(period) <= windows.indexOf(maker.period)
  for (const unit of ['usd', 'diem', 'vcu'] as const) {
    const [asked, max] = [limit[unit], readMax(maker.limit, unit)]
    if (isWithin && asked !== undefined && max !== undefined && asked > max) {
      return reportBeyondMaker(
        'consumptionLimit',
        `${unit}: Expected at most ${max}, which the key that makes it may spend (${maker.period}).`,
      )
    }
  }
  return { limit, period, ...ends }
}

function hasNone(limit: ConsumptionLimit): boolean {
  return Object.values(limit).every((amount) => amount === undefined)
}

/** diem and vcu both limit the daily credit. */
function readMax(
  { usd, diem = Infinity, vcu = Infinity }: ConsumptionLimit,
  unit: keyof ConsumptionLimit,
): number | undefined {
  return unit === 'usd' ? usd : Math.min(diem, vcu)
}

function reportBeyondMaker(field: BeyondMaker['field'], message: string): BeyondMaker {
  return { status: 'beyond maker', field, message }
}

/** A key as JSON for operators: the words of the contract, and times as RFC 3339. */
export function toKeyJson({ period, limit, type, ...key }: KeyRecord) {
  const { createdAt, expiresAt, rotatedAt, previousSecretUntil, revokedAt, lastUsedAt, ...rest } =
    key
  return {
    ...rest,
    apiKeyType: type,
    consumptionLimit: limit,
    limitPeriod: period,
    createdAt: toIsoDate(createdAt),
    ...(expiresAt !== undefined && { expiresAt: toIsoDate(expiresAt) }),
    ...(lastUsedAt !== undefined && { lastUsedAt: toIsoDate(lastUsedAt) }),
    ...(rotatedAt !== undefined && { rotatedAt: toIsoDate(rotatedAt) }),
    ...(previousSecretUntil !== undefined && {
      previousSecretUntil: toIsoDate(previousSecretUntil),
    }),
    ...(revokedAt !== undefined && { revokedAt: toIsoDate(revokedAt) }),
  }
}

export function toUsageJson({ usd, dailyCredit, ...usage }: KeyUsage) {
  return { ...usage, usd: toUsd(usd), dailyCredit: toUsd(dailyCredit) }
}

function toIsoDate(time: number): string {
  return new Date(time).toISOString()
}
