import type { Database } from '../../platform/database/database.js'
import type { MicroUsd } from './money.js'

/** The sum of all entries of a type on one UTC day. Charges are negative. */
export type MoneyFlow = {
  /** YYYY-MM-DD. */
  readonly day: string
  readonly type: string
  readonly entries: number
  readonly usd: MicroUsd
  readonly dailyCredit: MicroUsd
}

/** Since a time in milliseconds since 1970, newest day first. */
export async function readMoneyFlow(
  database: Database,
  since: number,
): Promise<readonly MoneyFlow[]> {
  const rows = await database.query<{
    day: string
    type: string
    entries: bigint
    usd: bigint
    diem: bigint
  }>(
    `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, type, count(*) as entries, sum(amount)::bigint as usd,
       sum(diem_amount)::bigint as diem
     from entry where created_at >= $1::timestamptz group by 1, 2 order by 1 desc, 2`,
    [new Date(since).toISOString()],
  )
  return rows.map(({ day, type, entries, usd, diem }) => ({
    day,
    type,
    entries: Number(entries),
    usd,
    dailyCredit: diem,
  }))
}

export type OpenHolds = {
  readonly count: bigint
  /** What they hold of balances; the daily credit is not counted. */
  readonly usd: MicroUsd
}

/** The open holds of all processes, from their index. */
export async function readOpenHolds(database: Database): Promise<OpenHolds> {
  const [row] = await database.query<OpenHolds>(
    `select count(*) as count, coalesce(sum(usd), 0)::bigint as usd from hold where state = 'held'`,
  )
  return row ?? { count: 0n, usd: 0n }
}
