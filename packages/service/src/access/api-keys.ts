import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { ApiKeyType, ConsumptionLimit, LimitPeriod } from '@farebox/types'
import type { Database } from '../database/database.js'
import { toMicroUsd, toUsd } from '../ledger/money.js'

export type NewKey = {
  readonly account: string
  readonly type: ApiKeyType
  readonly description: string
  readonly limit?: ConsumptionLimit
  readonly period?: LimitPeriod
  /** Milliseconds since 1970. Without it the key never expires. */
  readonly expiresAt?: number
  /** Makes the same key again, with the same secret, for the same account: of two requests of one Idempotency-Key. */
  readonly idempotencyKey?: string
}

export type ApiKey = {
  readonly id: string
  readonly account: string
  /** The limits of partners hold for the account. */
  readonly partner: boolean
  readonly type: ApiKeyType
  readonly description: string
  readonly limit: ConsumptionLimit
  readonly period: LimitPeriod
  readonly expiresAt?: number
}

export type CreatedKey =
  | { readonly status: 'created' | 'repeated'; readonly key: ApiKey; readonly secret: string }
  /** The Idempotency-Key made another key. */
  | { readonly status: 'conflict' }
  | { readonly status: 'too many'; readonly limit: number }

/** The keys of accounts. A secret is random, shown once, and kept as a keyed hash alone. */
export type ApiKeys = {
  readonly create: (key: NewKey) => Promise<CreatedKey>
  /** The key that a secret opens; `expired` when it was good before. */
  readonly find: (secret: string) => Promise<ApiKey | 'expired' | undefined>
}

/** Interface specification, "Limits". */
export const maxActiveKeys = 500

export type ApiKeysOptions = {
  readonly now: () => number
  /** Keys the hashes. Whoever changes it makes every key useless. */
  readonly pepper: string
  readonly random?: (bytes: number) => Buffer
}

export function createApiKeys(database: Database, { now, pepper, random = randomBytes }: ApiKeysOptions): ApiKeys {
  const hashOf = (secret: string) => createHmac('sha256', pepper).update(`hash ${secret}`).digest('base64url')

  return {
    create: async (wanted) => {
      const { account, type, description, limit = {}, period = 'EPOCH', expiresAt, idempotencyKey } = wanted
      // a secret of an Idempotency-Key follows from it, so that the second request can be told what the first was
      const bytes =
        idempotencyKey === undefined
          ? random(32)
          : createHmac('sha256', pepper)
              .update(JSON.stringify(['secret', account, idempotencyKey]))
              .digest()
      const secret = `fbx_${bytes.toString('base64url')}`
      const micro = (usd: number | undefined) => (usd === undefined ? null : toMicroUsd(usd))
      const [row] = await database.query(
        `with account as (
           select id, name, partner from account where name = $1 for update
         )
         insert into api_key (id, account_id, type, secret_hash, description, limit_usd, limit_diem, limit_vcu, limit_period, expires_at, created_at)
         select $2, id, $3, $4, $5, $6, $7, $8, $9, $10, $11::timestamptz from account
         where (select count(*) from api_key k where k.account_id = account.id and (k.expires_at is null or k.expires_at > $11::timestamptz)) < $12
         on conflict (secret_hash) do nothing
         returning *, $1::text as account, (select partner from account) as partner`,
        [
          account,
          randomUUID(),
          type,
          hashOf(secret),
          description,
          micro(limit.usd),
          micro(limit.diem),
          micro(limit.vcu),
          period,
          expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
          new Date(now()).toISOString(),
          maxActiveKeys,
        ],
      )
      if (row) return { status: 'created', key: toKey(row), secret }
      const earlier = await findByHash(database, hashOf(secret))
      if (!earlier) return { status: 'too many', limit: maxActiveKeys }
      return sameWish(earlier, wanted) ? { status: 'repeated', key: earlier, secret } : { status: 'conflict' }
    },

    find: async (secret) => {
      const key = await findByHash(database, hashOf(secret))
      return key?.expiresAt !== undefined && key.expiresAt <= now() ? 'expired' : key
    },
  }
}

/** The pepper of this database: the one that was made first. */
export async function keptPepper(database: Database, random: (bytes: number) => Buffer = randomBytes): Promise<string> {
  await database.query(`insert into setting (name, value) values ('key_pepper', $1) on conflict do nothing`, [
    random(32).toString('base64url'),
  ])
  const [row] = await database.query<{ value: string }>(`select value from setting where name = 'key_pepper'`)
  if (!row) throw new Error('API keys: the database keeps no pepper')
  return row.value
}

async function findByHash(database: Database, hash: string): Promise<ApiKey | undefined> {
  const [row] = await database.query(
    'select k.*, a.name as account, a.partner from api_key k join account a on a.id = k.account_id where k.secret_hash = $1',
    [hash],
  )
  return row && toKey(row)
}

function sameWish(key: ApiKey, { type, description, limit = {}, period = 'EPOCH', expiresAt }: NewKey): boolean {
  const facts = (one: Pick<NewKey, 'type' | 'description' | 'limit' | 'period' | 'expiresAt'>) =>
    JSON.stringify([one.type, one.description, one.limit?.usd, one.limit?.diem, one.limit?.vcu, one.period, one.expiresAt])
  return facts(key) === facts({ type, description, limit, period, ...(expiresAt !== undefined && { expiresAt }) })
}

function toKey(row: Readonly<Record<string, unknown>>): ApiKey {
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
    ...(row['expires_at'] instanceof Date && { expiresAt: row['expires_at'].getTime() }),
  }
}
