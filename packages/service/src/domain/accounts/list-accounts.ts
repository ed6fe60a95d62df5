import type { Database, Row } from '../../platform/database/database.js'
import { toMoment, utcDay } from '../ledger/ledger-types.js'
import { toUsd } from '../ledger/money.js'

/** An account as its operator sees it, in USD. */
export type AccountRecord = {
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

export type AccountTotals = {
  readonly accounts: number
  readonly balance: number
  readonly held: number
}

/** `$1` the day. */
const select = `select name, kind, balance, held, diem_daily, entries, partner, created_at, frozen_at, frozen_by, frozen_reason,
    greatest(0, diem_daily - case when diem_day = ${utcDay('$1')} then diem_spent else 0 end) as diem_left from account`

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
