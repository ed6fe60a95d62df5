import type { Database } from '../../platform/database/database.js'
import type { MicroUsd } from '../ledger/money.js'

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
export async function readKeyUsage(database: Database, id: string, { from, to }: Period): Promise<readonly KeyUsage[]> {
  const rows = await database.query<{ day: string; model: string | null; calls: bigint; refunds: bigint; usd: bigint; diem: bigint }>(
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
