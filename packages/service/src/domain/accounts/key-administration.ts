import type { ConsumptionLimit, LimitPeriod } from '@farebox/types'
import type { Database } from '../../platform/database/database.js'
import { toMicroUsd } from '../ledger/money.js'
import { createApiKeys, type ApiKeys } from './api-keys.js'
import {
  createKeyRecords,
  type KeyRecords,
  type KeyRecord,
  type KeySecretOptions,
  createKeySecrets,
  readKeyUsage,
  type KeyUsage,
} from './key-records.js'
import { limitToMaker, type BeyondMaker } from './key-rules.js'

/** The life of API keys, for an operator. */
export type KeyAdministration = KeyRecords &
  KeyChanges &
  Pick<ApiKeys, 'create'> & {
    /** Of the last days, today included. Undefined for a key that does not exist. */
    readonly usage: (id: string, days: number) => Promise<readonly KeyUsage[] | undefined>
  }

type KeyAdministrationOptions = KeySecretOptions & { readonly now: () => number }

const dayMs = 86_400_000

export function createKeyAdministration(
  database: Database,
  options: KeyAdministrationOptions,
): KeyAdministration {
  const records = createKeyRecords(database, options.now)
  return {
    ...records,
    ...createKeyChanges(database, { ...options, records }),
    create: createApiKeys(database, options).create,
    usage: async (id, days) => {
      if (!(await records.read(id))) return undefined
      const time = options.now()
      // whole days, so that the first one is not cut off
      const from = (Math.floor(time / dayMs) - days + 1) * dayMs
      return readKeyUsage(database, id, { from, to: time + 1 })
    },
  }
}

/** An absent field keeps its value. */
export type KeyChange = {
  readonly description?: string
  /** Replaces all limits. Null removes them, so that those of the key that created it apply. */
  readonly limit?: ConsumptionLimit | null
  /** A new window starts at zero. */
  readonly period?: LimitPeriod
  /** Milliseconds since 1970. Null: never, or with the key that made it. */
  readonly expiresAt?: number | null
}

export type UnchangeableKey =
  | { readonly status: 'unknown' }
  /** A key that has ended cannot be changed. */
  | { readonly status: 'ended'; readonly key: KeyRecord }

type ChangedKey =
  | { readonly status: 'changed'; readonly key: KeyRecord }
  | UnchangeableKey
  | BeyondMaker
type RotatedKey =
  | { readonly status: 'rotated'; readonly key: KeyRecord; readonly secret: string }
  | UnchangeableKey
type RevokedKey =
  | { readonly status: 'revoked'; readonly key: KeyRecord }
  | { readonly status: 'unknown' }

/**
 * Changes of keys by an operator. They apply to every request, in any process, that is
 * authenticated after the promise resolves.
 */
export type KeyChanges = {
  readonly change: (id: string, change: KeyChange) => Promise<ChangedKey>
  /**
   * Gives a key a new secret. The previous one is accepted for another `graceMs`, and older ones
   * are not.
   */
  readonly rotate: (id: string, graceMs: number) => Promise<RotatedKey>
  /**
   * Revokes a key and all keys created from it for good. Requests that have not paid yet are
   * rejected, too. Paid work is finished.
   */
  readonly revoke: (id: string) => Promise<RevokedKey>
}

type KeyChangesOptions = KeySecretOptions & {
  readonly records: Pick<KeyRecords, 'read'>
  readonly now: () => number
}

const unended = 'revoked_at is null and (expires_at is null or expires_at > $2::timestamptz)'

export function createKeyChanges(
  database: Database,
  { records, now, ...options }: KeyChangesOptions,
): KeyChanges {
  const secrets = createKeySecrets(options)
  const toIsoDate = (time: number) => new Date(time).toISOString()
  const isDone = async (sql: string, params: readonly unknown[]) =>
    (await database.query(sql, params)).length > 0
  const active = async (
    id: string,
  ): Promise<{ readonly status: 'active'; readonly key: KeyRecord } | UnchangeableKey> => {
    const key = await records.read(id)
    if (key === undefined) return { status: 'unknown' }
    return { status: key.state === 'active' ? 'active' : 'ended', key }
  }
  /** After a change: the key may have ended before it was done. */
  const after = async <Done extends object>(
    id: string,
    done: Done,
  ): Promise<(Done & { readonly key: KeyRecord }) | UnchangeableKey> => {
    const key = await records.read(id)
    return key ? { ...done, key } : { status: 'unknown' }
  }

  return {
    change: async (id, change) => {
      const lookup = await active(id)
      if (lookup.status !== 'active') return lookup
      const limits = await limitsAfter(lookup.key, change)
      if ('status' in limits) return limits
      const { limit, period } = limits
      const micro = (usd: number | undefined) => (usd === undefined ? null : toMicroUsd(usd))
      const changes = change.limit !== undefined
      const ends = change.expiresAt !== undefined
      const expiresAt = ends && limits.expiresAt !== undefined ? toIsoDate(limits.expiresAt) : null
      const done = await isDone(
        `update api_key set description = coalesce($3, description),
           limit_usd = case when $4::boolean then $5::bigint else limit_usd end,
           limit_diem = case when $4::boolean then $6::bigint else limit_diem end,
           limit_vcu = case when $4::boolean then $7::bigint else limit_vcu end,
           limit_period = coalesce($8, limit_period), expires_at = case when $9::boolean then $10::timestamptz else expires_at end
         where id = $1::uuid and ${unended} returning id`,
        [
          id,
          toIsoDate(now()),
          change.description ?? null,
          changes,
          micro(limit.usd),
          micro(limit.diem),
          micro(limit.vcu),
          // another process may change one that this change does not name
          period === lookup.key.period ? null : period,
          ends,
          expiresAt,
        ],
      )
      return after(id, { status: done ? 'changed' : 'ended' } as const)
    },

    rotate: async (id, graceMs) => {
      const lookup = await active(id)
      if (lookup.status !== 'active') return lookup
      const secret = secrets.make()
      const time = now()
      const done = await isDone(
        `update api_key set secret_hash = $3, rotated_at = $2::timestamptz,
           previous_hash = case when $4::timestamptz > $2::timestamptz then secret_hash end,
           previous_until = case when $4::timestamptz > $2::timestamptz then $4::timestamptz end
         where id = $1::uuid and ${unended} returning id`,
        [id, toIsoDate(time), secrets.hashSecret(secret), toIsoDate(time + graceMs)],
      )
      return done
        ? after(id, { status: 'rotated', secret } as const)
        : after(id, { status: 'ended' } as const)
    },

    revoke: async (id) => {
      const key = await records.read(id)
      if (key === undefined) return { status: 'unknown' }
      await database.query(
        `update api_key set revoked_at = $2::timestamptz, expires_at = least(expires_at, $2::timestamptz), previous_hash = null, previous_until = null
         where id = $1::uuid and revoked_at is null`,
        [id, toIsoDate(now())],
      )
      return { status: 'revoked', key: (await records.read(id)) ?? key }
    },
  }

  /** Only what the change names is held against the limits of the maker, which may be lower now. */
  async function limitsAfter(key: KeyRecord, { limit, period, expiresAt }: KeyChange) {
    const keepsLimit = limit === undefined && period === undefined
    const newLimits = {
      limit: limit === undefined ? key.limit : (limit ?? {}),
      period: period ?? key.period,
      ...readEnd(expiresAt),
    }
    const maker = key.madeBy === undefined ? undefined : await records.read(key.madeBy)
    if (maker === undefined) return newLimits
    const limits = limitToMaker(keepsLimit ? { ...newLimits, limit: {} } : newLimits, maker)
    return keepsLimit && !('status' in limits) ? { ...limits, period: key.period } : limits
  }
}

function readEnd(expiresAt: number | null | undefined): { readonly expiresAt?: number } {
  return typeof expiresAt === 'number' ? { expiresAt } : {}
}
