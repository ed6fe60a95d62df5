import { randomUUID } from 'node:crypto'
import type { ApiKeyType, ConsumptionLimit, LimitPeriod } from '@farebox/types'
import type { Database, Row } from '../../platform/database/database.js'
import { shareStatements } from '../../platform/database/share-statements.js'
import type { RequestKey, SpendableCredit } from '../ledger/ledger-types.js'
import { toMicroUsd } from '../ledger/money.js'
import { spendableColumns } from '../ledger/read-ledger.js'
import { toMoment } from '../ledger/statements.js'
import {
  callerColumns,
  keyColumns,
  keySource,
  toCallerKey,
  toKey,
  type ApiKey,
  type CallerKey,
  createKeySecrets,
  type KeySecretOptions,
} from './key-records.js'
import { limitToMaker, type BeyondMaker } from './key-rules.js'

type NewKey = {
  readonly account: string
  readonly type: ApiKeyType
  readonly description: string
  readonly limit?: ConsumptionLimit
  readonly period?: LimitPeriod
  /** Milliseconds since 1970. Default: with the key that makes it, or never. */
  readonly expiresAt?: number
  /** Id of the key that makes it. Its limits apply to the new key as well. */
  readonly madeBy?: string
  readonly idempotency?: RequestKey
}

type CreatedKey =
  | { readonly status: 'created'; readonly key: ApiKey; readonly secret: string }
  /** The Idempotency-Key made this key before, for a request with the same fingerprint. */
  | { readonly status: 'repeated'; readonly id: string }
  /** The Idempotency-Key made a key for another request. */
  | { readonly status: 'conflict' }
  | { readonly status: 'too many'; readonly limit: number }
  /** The operator has frozen the account. */
  | { readonly status: 'frozen' }
  | BeyondMaker

/** API keys as their holders create and use them. */
export type ApiKeys = {
  readonly create: (key: NewKey) => Promise<CreatedKey>
  /**
   * The key of a secret, or how it or an ancestor ended. Nothing is cached: every change of any
   * process before the call applies.
   */
  readonly find: (secret: string) => Promise<FoundKey | 'expired' | 'revoked' | undefined>
}

/** A key with what its account could spend when the key was found. */
type FoundKey = CallerKey & { readonly spendable: SpendableCredit }

/** `$1` hashes as JSON. */
const hashList = 'array(select json_array_elements_text($1::text::json))'

/** Interface specification, "Limits". */
const maxActiveKeys = 500

type ApiKeysOptions = KeySecretOptions & {
  readonly now: () => number
  /** The previous pepper, during a rotation. */
  readonly oldPepper?: string
}

export function createApiKeys(
  database: Database,
  { now, oldPepper, ...options }: ApiKeysOptions,
): ApiKeys {
  const secrets = createKeySecrets(options)
  const before = oldPepper === undefined ? undefined : createKeySecrets({ pepper: oldPepper })
  const selectBy = (isHash: (column: string) => string) =>
    `select ${callerColumns}, ${spendableColumns('$3')}, k.secret_hash, k.previous_hash, k.previous_until > $2::timestamptz as previous_counts
     from ${keySource} where ${isHash('k.secret_hash')} or (${isHash('k.previous_hash')} and k.previous_until > $2::timestamptz)`
  const selectOne = selectBy((column) => `${column} = $1`)
  const selectMany = selectBy((column) => `${column} = any (${hashList})`)
  const selectRows = (sql: string, hashes: string) => {
    const { time, day } = toMoment(now())
    return database.query<Row & SpendableCredit>(sql, [hashes, time, day])
  }
  /** Secrets that come at once share a statement, which begins after they came. */
  const findRow = shareStatements<string, (Row & SpendableCredit) | null>({
    one: async (hash) => (await selectRows(selectOne, hash))[0] ?? null,
    many: async (hashes) => {
      const found = new Map<unknown, Row & SpendableCredit>()
      for (const row of await selectRows(selectMany, JSON.stringify(hashes))) {
        if (row['previous_counts'] === true) found.set(row['previous_hash'], row)
        found.set(row['secret_hash'], row)
      }
      return hashes.map((hash) => found.get(hash) ?? null)
    },
  })
  const findMaker = async (id: string): Promise<ApiKey> => {
    const [maker] = await database.query(
      `select ${keyColumns} from ${keySource} where k.id = $1::uuid`,
      [id],
    )
    if (maker) return toKey(maker)
    throw new Error(`API keys: the key ${id} that makes another one is gone`)
  }

  return {
    create: async ({ account, type, description, madeBy, idempotency, ...wanted }) => {
      const limits =
        madeBy === undefined
          ? { limit: {}, period: 'EPOCH' as const, ...wanted }
          : limitToMaker(wanted, await findMaker(madeBy))
      if ('status' in limits) return limits
      const { limit, period, expiresAt } = limits
      const secret = secrets.make()
      const micro = (usd: number | undefined) => (usd === undefined ? null : toMicroUsd(usd))
      const [row] = await database.query(
        `with account as (
           select id, name, partner from account where name = $1 and frozen_at is null for update
         )
         insert into api_key (id, account_id, type, secret_hash, description, limit_usd, limit_diem, limit_vcu, limit_period, expires_at, created_at,
           ancestors, idempotency_key, fingerprint)
         select $2, id, $3, $4, $5, $6, $7, $8, $9, $10, $11::timestamptz,
           coalesce((select ancestors || id from api_key where id = $13::uuid), '{}'), $14, $15 from account
         where (select count(*) from api_key k where k.account_id = account.id and (k.expires_at is null or k.expires_at > $11::timestamptz)) < $12
         on conflict (account_id, idempotency_key) do nothing
         returning *, $1::text as account, (select partner from account) as partner, expires_at as ends`,
        [
          account,
          randomUUID(),
          type,
          secrets.hashSecret(secret),
          description,
          micro(limit.usd),
          micro(limit.diem),
          micro(limit.vcu),
          period,
          expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
          new Date(now()).toISOString(),
          maxActiveKeys,
          madeBy ?? null,
          idempotency?.key ?? null,
          idempotency?.fingerprint ?? null,
        ],
      )
      if (row) return { status: 'created', key: toKey(row), secret }
      const [earlier] = await database.query<{
        id: string | null
        fingerprint: string
        frozen: boolean
      }>(
        `select k.id, k.fingerprint, a.frozen_at is not null as frozen from account a
         left join api_key k on k.account_id = a.id and k.idempotency_key = $2 where a.name = $1`,
        [account, idempotency?.key ?? null],
      )
      if (earlier?.frozen) return { status: 'frozen' }
      if (typeof earlier?.id !== 'string') return { status: 'too many', limit: maxActiveKeys }
      return earlier.fingerprint === idempotency?.fingerprint
        ? { status: 'repeated', id: earlier.id }
        : { status: 'conflict' }
    },

    find: async (secret) => {
      const time = now()
      const hash = secrets.hashSecret(secret)
      let row = await findRow(hash, hash)
      if (row === null && before) {
        const old = before.hashSecret(secret)
        row = await findRow(old, old)
        if (row) {
          await database.query(
            `update api_key set secret_hash = case when secret_hash = $1 then $2 else secret_hash end,
               previous_hash = case when previous_hash = $1 then $2 else previous_hash end
             where secret_hash = $1 or previous_hash = $1`,
            [old, hash],
          )
        }
      }
      if (row === null) return undefined
      if (row['revoked'] === true) return 'revoked'
      const { usd, diem, diemDaily, isFrozen } = row
      const key = { ...toCallerKey(row), spendable: { usd, diem, diemDaily, isFrozen } }
      return key.expiresAt !== undefined && key.expiresAt <= time ? 'expired' : key
    },
  }
}
