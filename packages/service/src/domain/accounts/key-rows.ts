import type { ApiKeyType, ConsumptionLimit, LimitPeriod } from '@farebox/types'
import type { Row } from '../../platform/database/database.js'
import { toUsd } from '../ledger/money.js'

export type ApiKey = {
  readonly id: string
  readonly account: string
  /** Whether the account has the rate limits of partners. */
  readonly partner: boolean
  readonly type: ApiKeyType
  readonly description: string
  readonly limit: ConsumptionLimit
  readonly period: LimitPeriod
  /** Milliseconds since 1970. */
  readonly expiresAt?: number
}

/**
 * Keys `k` that have all their ancestors, with their accounts. A key ends with the first of its
 * ancestors (`ends`), and is revoked with any of them (`revoked`).
 */
export const keySource = `
  api_key k join account a on a.id = k.account_id
  join lateral (
    select count(*) as found, min(expires_at) as first_end, coalesce(bool_or(revoked_at is not null), false) as any_revoked
    from api_key where id = any (k.ancestors)
  ) above on found = cardinality(k.ancestors)`

export const keyColumns = `k.*, a.name as account, a.partner, least(k.expires_at, first_end) as ends,
  k.revoked_at is not null or any_revoked as revoked`

/** Reads a row of `keyColumns`. */
export function toKey(row: Row): ApiKey {
  const usd = (name: string) => (typeof row[name] === 'bigint' ? toUsd(row[name]) : undefined)
  const limit = { usd: usd('limit_usd'), diem: usd('limit_diem'), vcu: usd('limit_vcu') }
  return {
    id: row['id'] as string,
    account: row['account'] as string,
    partner: row['partner'] === true,
    type: row['type'] as ApiKeyType,
    description: row['description'] as string,
    limit: Object.fromEntries(Object.entries(limit).filter(([, value]) => value !== undefined)),
    period: row['limit_period'] as LimitPeriod,
    ...readTime(row, 'ends', 'expiresAt'),
  }
}

/** A time of a row in milliseconds, under a name, or nothing where it is null. */
export function readTime<Name extends string>(row: Row, column: string, name: Name): { readonly [N in Name]?: number } {
  const value = row[column]
  return value instanceof Date ? ({ [name]: value.getTime() } as { readonly [N in Name]: number }) : {}
}
