import type { Database, Row } from '../../platform/database/database.js'
import { toMoment, utcDaySql } from '../ledger/statements.js'
import { toUsd } from '../ledger/money.js'

/** The longest name, in code points, that an index of the database holds in any script. */
export const longestAccountName = 100

/** Whether an account may be opened under a name, with or without `key:`. */
export function isAccountName(name: string): boolean {
  return (
    /^(?!(?:key:)?(?:\s|$))[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+(?<!\s)$/u.test(name) &&
    Array.from(name.replace(/^key:/, '')).length <= longestAccountName
  )
}

/** What lists and terminals show as it is. */
export const accountNameForm =
  'a name in visible characters, without white space at its ends, such as tram'

/** An account as its operator sees it, in USD. */
type AccountRecord = {
  readonly account: string
  readonly kind: 'wallet' | 'key'
  /** The sum of its entries, before holds. */
  readonly balance: number
  readonly held: number
  readonly spendable: number
  readonly dailyCredit: number
  readonly dailyCreditLeft: number
  readonly entries: number
  readonly partner: boolean
  readonly frozen?: { readonly at: string; readonly by: string; readonly reason: string }
  readonly createdAt: string
}

type AccountTotals = {
  readonly accounts: number
  readonly balance: number
  readonly held: number
}

/** `$1` the day. */
const select = `select name, kind, balance, held, diem_daily, entries, partner, created_at, frozen_at, frozen_by, frozen_reason,
    greatest(0, diem_daily - case when diem_day = ${utcDaySql('$1')} then diem_spent else 0 end) as diem_left from account`

/** The latest first. */
export async function listAccounts(
  database: Database,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  now: number,
) {
  const place = [limit + 1, Math.min(offset, Number.MAX_SAFE_INTEGER)]
  const rows = await database.query(`${select} order by id desc limit $2 offset $3`, [
    toMoment(now).day,
    ...place,
  ])
  return { accounts: rows.slice(0, limit).map(toAccount), hasMore: rows.length > limit }
}

export async function readAccount(
  database: Database,
  name: string,
  now: number,
): Promise<AccountRecord | undefined> {
  const [row] = await database.query(`${select} where name = $2`, [toMoment(now).day, name])
  return row && toAccount(row)
}

export async function readTotals(database: Database): Promise<AccountTotals> {
  const [row] = await database.query<{ accounts: bigint; balance: bigint; held: bigint }>(
    `select count(*) as accounts, coalesce(sum(balance), 0)::bigint as balance, coalesce(sum(held), 0)::bigint as held from account`,
  )
  return {
    accounts: Number(row?.accounts ?? 0n),
    balance: toUsd(row?.balance ?? 0n),
    held: toUsd(row?.held ?? 0n),
  }
}

function toAccount(row: Row): AccountRecord {
  const usd = (column: string) => toUsd(row[column] as bigint)
  return {
    account: row['name'] as string,
    kind: row['kind'] as AccountRecord['kind'],
    balance: usd('balance'),
    held: usd('held'),
    spendable: toUsd((row['balance'] as bigint) - (row['held'] as bigint)),
    dailyCredit: usd('diem_daily'),
    dailyCreditLeft: usd('diem_left'),
    entries: Number(row['entries']),
    partner: row['partner'] === true,
    ...(row['frozen_at'] instanceof Date && {
      frozen: {
        at: row['frozen_at'].toISOString(),
        by: row['frozen_by'] as string,
        reason: row['frozen_reason'] as string,
      },
    }),
    createdAt: (row['created_at'] as Date).toISOString(),
  }
}

/** A match of a search. */
type FoundAccount = {
  readonly account: string
  readonly by: 'account' | 'key' | 'charge' | 'request' | 'payment'
  /**
   * The id of the key, of the ledger entry, or of the transaction. Absent for the account itself.
   */
  readonly id?: string
}

const most = 20
const daysBack = 90

/** `$1` the search text, `$2` the start of the search for requests, which have no index. */
const sql = `
  select account, by, id from (
    select 1 as place, a.name as account, 'account' as by, null::text as id from account a
      where starts_with(lower(a.name), lower($1)) or starts_with(lower(a.name), 'key:' || lower($1))
    union all
    select 2, a.name, 'key', k.id::text from api_key k join account a on a.id = k.account_id where starts_with(k.id::text, lower($1))
    union all
    select 3, a.name, 'charge', e.id from entry e join account a on a.id = e.account_id where e.id = $1
    union all
    select 4, a.name, 'request', e.id from entry e join account a on a.id = e.account_id
      where e.request_id = $1 and e.type = 'CHARGE' and e.created_at >= $2::timestamptz
    union all
    select 5, a.name, 'payment', p.transaction_hash from payment p join account a on a.name = p.payer where p.transaction_hash = $1
  ) found order by place, account, id limit ${most}`

/**
 * Finds at most 20 accounts by a prefix of their name or of the id of one of their keys, or by the
 * full id of a ledger entry, a request of the last 90 days, or the transaction of a payment.
 */
export async function findAccounts(
  database: Database,
  text: string,
  now: number,
): Promise<readonly FoundAccount[]> {
  const since = toMoment(now - daysBack * 86_400_000).time
  const rows = await database.query<{
    account: string
    by: FoundAccount['by']
    id: string | null
  }>(sql, [text, since])
  return rows.map(({ account, by, id }) => ({ account, by, ...(id !== null && { id }) }))
}

/** Who froze an account, and why. */
type Freezer = { readonly actor: string; readonly reason: string }

/**
 * Freezes an account, or unfreezes it if `by` is null. Once the promise resolves, every process
 * rejects new work and new keys. Work that already holds credit is finished and charged. A frozen
 * account keeps its first time and reason. Resolves to whether the account exists.
 */
export async function setFrozen(
  database: Database,
  account: string,
  by: Freezer | null,
  now: number,
): Promise<boolean> {
  const rows = await database.query(
    by
      ? `update account set frozen_at = coalesce(frozen_at, $2::timestamptz), frozen_by = coalesce(frozen_by, $3),
           frozen_reason = coalesce(frozen_reason, $4) where name = $1 returning 1`
      : 'update account set frozen_at = null, frozen_by = null, frozen_reason = null where name = $1 returning 1',
    by ? [account, toMoment(now).time, by.actor, by.reason] : [account],
  )
  return rows.length > 0
}
