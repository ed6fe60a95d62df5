import { createHmac, randomBytes } from 'node:crypto'
import type { ApiKeyType, ConsumptionLimit, LimitPeriod } from '@farebox/types'
import type { Database, Row } from '../../platform/database/database.js'
import { toMoment } from '../ledger/statements.js'
import { toUsd, type MicroUsd } from '../ledger/money.js'

export const keyStates = ['active', 'expired', 'revoked'] as const
export type KeyState = (typeof keyStates)[number]

/** A key as its operator sees it. Times are in milliseconds since 1970. It has no secret. */
export type KeyRecord = ApiKey & {
  /** A key ends with any of its ancestors. */
  readonly state: KeyState
  readonly createdAt: number
  /** Id of the key that made it. */
  readonly madeBy?: string
  /**
   * USD of its current window, of holds as well. What keys that it made consumed is part of it.
   */
  readonly consumed: { readonly usd: number; readonly diem: number }
  readonly rotatedAt?: number
  /** Until when the secret before the last rotation is accepted. */
  readonly previousSecretUntil?: number
  readonly revokedAt?: number
  /** Undefined for a key that was never used. */
  readonly lastUsedAt?: number
}

/** The keys that a reader may see. */
export type KeyReach = {
  readonly account?: string
  /** This key, and all keys that come from it. */
  readonly within?: string
}

type KeyFilter = KeyReach & {
  readonly state?: KeyState
  readonly limit: number
  readonly offset: number
}
type KeyPage = { readonly keys: readonly KeyRecord[]; readonly hasMore: boolean }

export type KeyRecords = {
  /** Newest first. */
  readonly list: (filter: KeyFilter) => Promise<KeyPage>
  /** Undefined for a key that does not exist or is out of reach. */
  readonly read: (id: string, reach?: KeyReach) => Promise<KeyRecord | undefined>
}

export function createKeyRecords(database: Database, now: () => number): KeyRecords {
  const select = async (condition: string, params: readonly unknown[]) => {
    const { time, day, month } = toMoment(now())
    return (await database.query(selectRecordsWhere(condition), [time, day, month, ...params])).map(
      toRecord,
    )
  }
  return {
    list: async ({ state, limit, offset, ...reach }) => {
      const condition = `${inReach} and ($6::text is null or state = $6) order by created_at desc, id limit $7 offset $8`
      const keys = await select(condition, [
        ...toParams(reach),
        state ?? null,
        limit + 1,
        Math.min(offset, Number.MAX_SAFE_INTEGER),
      ])
      return { keys: keys.slice(0, limit), hasMore: keys.length > limit }
    },
    read: async (id, reach = {}) =>
      uuid.test(id)
        ? (await select(`${inReach} and id = $6::uuid`, [...toParams(reach), id]))[0]
        : undefined,
  }
}

/** `$4` the account, `$5` the key that they come from. */
const inReach =
  '($4::text is null or account = $4) and ($5::uuid is null or id = $5 or $5 = any (ancestors))'
const toParams = ({ account, within }: KeyReach) => [account ?? null, within ?? null]

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** `$1` time, `$2` start of the day, `$3` of the month. */
const selectRecordsWhere = (condition: string) => `
  select * from (
    select ${keyColumns}, u.last_used_at,
      case when k.revoked_at is not null or any_revoked then 'revoked' when least(k.expires_at, first_end) <= $1::timestamptz then 'expired'
        else 'active' end as state,
      case when k.previous_until > $1::timestamptz then k.previous_until end as previous_secret_until,
      k.consumed_since is not distinct from since as is_current
    from ${keySource} left join api_key_use u on u.key_id = k.id cross join lateral (
      select case k.limit_period when 'EPOCH' then $2::timestamptz when 'MONTH' then $3::timestamptz else null end as since
    ) period
  ) records where ${condition}`

function toRecord(row: Row): KeyRecord {
  const ancestors = row['ancestors'] as readonly string[]
  const madeBy = ancestors.at(-1)
  const consumed = (column: string) =>
    row['is_current'] === true ? toUsd(row[column] as bigint) : 0
  return {
    ...toKey(row),
    state: row['state'] as KeyState,
    createdAt: (row['created_at'] as Date).getTime(),
    ...(madeBy !== undefined && { madeBy }),
    consumed: { usd: consumed('consumed_usd'), diem: consumed('consumed_diem') },
    ...readTime(row, 'rotated_at', 'rotatedAt'),
    ...readTime(row, 'previous_secret_until', 'previousSecretUntil'),
    ...readTime(row, 'revoked_at', 'revokedAt'),
    ...readTime(row, 'last_used_at', 'lastUsedAt'),
  }
}

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
    from api_key where k.ancestors <> '{}' and id = any (k.ancestors)
  ) above on found = cardinality(k.ancestors)`

const foundColumns = `a.name as account, a.partner, least(k.expires_at, first_end) as ends,
  k.revoked_at is not null or any_revoked as revoked`

export const keyColumns = `k.*, ${foundColumns}`

/** Those of them that a request needs. */
export const callerColumns = `k.id, k.type, ${foundColumns}`

/** Reads a row of `keyColumns`. */
export function toKey(row: Row): ApiKey {
  const usd = (name: string) => (typeof row[name] === 'bigint' ? toUsd(row[name]) : undefined)
  const limit = { usd: usd('limit_usd'), diem: usd('limit_diem'), vcu: usd('limit_vcu') }
  return {
    ...toCallerKey(row),
    description: row['description'] as string,
    limit: Object.fromEntries(Object.entries(limit).filter(([, value]) => value !== undefined)),
    period: row['limit_period'] as LimitPeriod,
  }
}

/** What a request needs to know of its key. */
export type CallerKey = Pick<ApiKey, 'id' | 'account' | 'partner' | 'type' | 'expiresAt'>

/** Reads a row of `callerColumns`. */
export function toCallerKey(row: Row): CallerKey {
  return {
    id: row['id'] as string,
    account: row['account'] as string,
    partner: row['partner'] === true,
    type: row['type'] as ApiKeyType,
    ...readTime(row, 'ends', 'expiresAt'),
  }
}

/** A time of a row in milliseconds, under a name, or nothing where it is null. */
function readTime<Name extends string>(
  row: Row,
  column: string,
  name: Name,
): { readonly [N in Name]?: number } {
  const value = row[column]
  return value instanceof Date
    ? ({ [name]: value.getTime() } as { readonly [N in Name]: number })
    : {}
}

export type KeySecretOptions = {
  /** Secret of the hashes. A new one invalidates every key. */
  readonly pepper: string
  readonly random?: (bytes: number) => Buffer
}

/** Secrets of API keys. A secret is random, shown once, and kept only as a keyed hash. */
type KeySecrets = {
  readonly make: () => string
  readonly hashSecret: (secret: string) => string
}

export function createKeySecrets({ pepper, random = randomBytes }: KeySecretOptions): KeySecrets {
  return {
    make: () => `fbx_${random(32).toString('base64url')}`,
    hashSecret: (secret) =>
      createHmac('sha256', pepper).update(`hash ${secret}`).digest('base64url'),
  }
}

/** What a key spent on one UTC day with one model, as the ledger has it. */
export type KeyUsage = {
  /** YYYY-MM-DD. */
  readonly day: string
  /** Null for a call without a model. */
  readonly model: string | null
  /** Calls that were charged. */
  readonly calls: number
  /** Charges that were given back. */
  readonly refunds: number
  /** Charges less the refunds of this day. */
  readonly usd: MicroUsd
  /** The same of the daily credit. */
  readonly dailyCredit: MicroUsd
}

/** A period of time in milliseconds since 1970, without its end. */
export type Period = { readonly from: number; readonly to: number }

/** Newest day first. Keys that the key made have a usage of their own. */
export async function readKeyUsage(
  database: Database,
  id: string,
  { from, to }: Period,
): Promise<readonly KeyUsage[]> {
  const rows = await database.query<{
    day: string
    model: string | null
    calls: bigint
    refunds: bigint
    usd: bigint
    diem: bigint
  }>(
    `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, model_id as model, count(*) filter (where type = 'CHARGE') as calls,
       count(*) filter (where type = 'REFUND') as refunds, (-sum(amount))::bigint as usd, (-sum(diem_amount))::bigint as diem
     from entry where key_id = $1::uuid and created_at >= $2::timestamptz and created_at < $3::timestamptz
     group by 1, 2 order by 1 desc, 2`,
    [id, new Date(from).toISOString(), new Date(to).toISOString()],
  )
  return rows.map(({ day, model, calls, refunds, usd, diem }) => ({
    day,
    model,
    calls: Number(calls),
    refunds: Number(refunds),
    usd,
    dailyCredit: diem,
  }))
}

/** When keys were last used. Recording a use adds no statement to a request. */
export type KeyUses = {
  readonly saw: (id: string) => void
  /** Writes the uses since the last flush. After a failure they are kept for the next one. */
  readonly flush: () => Promise<void>
}

/** How often uses are written. A killed process loses the uses of this interval. */
export const keyUsesEveryMs = 10_000

export function createKeyUses(database: Database, now: () => number): KeyUses {
  let seen = new Map<string, number>()
  return {
    saw: (id) => void seen.set(id, now()),

    flush: async () => {
      if (seen.size === 0) return
      const batch = seen
      seen = new Map()
      const uses = Array.from(batch, ([id, time]) => ({ id, used: new Date(time).toISOString() }))
      try {
        // in one order, so that two processes do not wait for each other
        await database.query(
          `insert into api_key_use (key_id, last_used_at)
           select s.id, s.used from json_to_recordset($1::text::json) as s (id uuid, used timestamptz)
           where exists (select from api_key where api_key.id = s.id) order by s.id
           on conflict (key_id) do update set last_used_at = excluded.last_used_at where api_key_use.last_used_at < excluded.last_used_at`,
          [JSON.stringify(uses)],
        )
      } catch (error) {
        seen = new Map([...batch, ...seen])
        throw error
      }
    },
  }
}
