import type { Database, Row } from '../database/database.js'
import type { Count, LimitStore } from './limit-store.js'

const purgeEvery = 1_000

/** Counts in the database, for processes that are one service. A crash of the database server begins anew. */
export function createSharedLimits(database: Database): LimitStore {
  let calls = 0
  return {
    take: async ({ caller, rateClass, number }, limit, now) => {
      if (calls++ % purgeEvery === 0) {
        await database.query('delete from rate_window where number < $1', [number])
        await database.query('delete from abuse where failures[array_upper(failures, 1)] < $1', [new Date(now - 3_600_000).toISOString()])
      }
      const [row] = await database.query(
        `with b as (
           select max(blocked_until) as until from abuse where caller = $1
         ), counted as (
           insert into rate_window as w (caller, class, number, used)
           select $1, $2, $3, 1 from b where until is null or until <= $5
           on conflict (caller, class) do update
             set used = case when w.number = excluded.number then w.used + 1 else 1 end, number = excluded.number
             where w.number <> excluded.number or w.used < $4
           returning used
         )
         select until, (select used from counted) as used from b`,
        [caller, rateClass, number, limit, new Date(now).toISOString()],
      )
      return toCount(row, limit + 1)
    },

    peek: async ({ caller, rateClass, number }) => {
      const [row] = await database.query(
        `select (select blocked_until from abuse where caller = $1) as until,
           (select used from rate_window where caller = $1 and class = $2 and number = $3) as used`,
        [caller, rateClass, number],
      )
      return toCount(row, 0)
    },

    fail: async (caller, { failures, windowSeconds, blockSeconds }, now) => {
      const time = (offsetSeconds: number) => new Date(now + offsetSeconds * 1000).toISOString()
      await database.query(
        `insert into abuse as a (caller, failures) values ($1, array[$2::timestamptz])
         on conflict (caller) do update set (failures, blocked_until) = (
           select case when count(*) > $4 then '{}' else array_agg(t order by t) end, case when count(*) > $4 then $5::timestamptz end
           from unnest(a.failures || $2::timestamptz) t where t > $3::timestamptz
         ) where a.blocked_until is null or a.blocked_until <= $2::timestamptz`,
        [caller, time(0), time(-windowSeconds), failures, time(blockSeconds)],
      )
    },
  }
}

function toCount(row: Row | undefined, otherwise: number): Count {
  const used = row?.['used']
  const until = row?.['until']
  return { used: typeof used === 'number' ? used : otherwise, ...(until instanceof Date && { blockedUntil: until.getTime() }) }
}
