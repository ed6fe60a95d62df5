import { toUsd } from '../ledger/money.js'
import type { KeyRecord } from './key-records.js'
import type { KeyUsage } from './key-usage.js'

/** A key as JSON for operators: the words of the contract, and times as RFC 3339. */
export function keyJson({ period, limit, type, ...key }: KeyRecord) {
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

export function usageJson({ usd, dailyCredit, ...usage }: KeyUsage) {
  return { ...usage, usd: toUsd(usd), dailyCredit: toUsd(dailyCredit) }
}

function toIsoDate(time: number): string {
  return new Date(time).toISOString()
}
