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

/** When keys were last used. A use costs a request no statement. */
export type KeyUses = {
  readonly saw: (id: string) => void
  /** Writes the uses since the last time. After a failure they are kept for the next. */
  readonly flush: () => Promise<void>
}

/** How often uses are written. A process that is killed loses those of this long. */
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
