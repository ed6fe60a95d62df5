import { toUsd } from '../ledger/money.js'
import type { KeyRecord } from './key-records.js'
import type { KeyUsage } from './key-usage.js'

/** A key as JSON for operators: the words of the contract, and times as RFC 3339. */
export function keyJson({ period, limit, type, ...key }: KeyRecord) {
  const { createdAt, expiresAt, rotatedAt, previousSecretUntil, revokedAt, lastUsedAt, ...rest } = key
  return {
    ...rest,
    apiKeyType: type,
    consumptionLimit: limit,
    limitPeriod: period,
    createdAt: dateOf(createdAt),
    ...(expiresAt !== undefined && { expiresAt: dateOf(expiresAt) }),
    ...(lastUsedAt !== undefined && { lastUsedAt: dateOf(lastUsedAt) }),
    ...(rotatedAt !== undefined && { rotatedAt: dateOf(rotatedAt) }),
    ...(previousSecretUntil !== undefined && { previousSecretUntil: dateOf(previousSecretUntil) }),
    ...(revokedAt !== undefined && { revokedAt: dateOf(revokedAt) }),
  }
}

export function usageJson({ usd, dailyCredit, ...usage }: KeyUsage) {
  return { ...usage, usd: toUsd(usd), dailyCredit: toUsd(dailyCredit) }
}

function dateOf(time: number): string {
  return new Date(time).toISOString()
}
