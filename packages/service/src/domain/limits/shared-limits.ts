import type { Database, Row } from '../../platform/database/database.js'
import { type Count, type LimitStore, firstCounted, toSecond } from './limits.js'

const purgeEvery = 1_000

/**
 * Counts in the database, for several processes. A crash of the database server clears the counts.
 */
export function createSharedLimits(database: Database): LimitStore {
  let calls = 0
  return {
    count: async ({ caller, rateClass, parties = [caller] }, limit, now, amount = 1) => {
      if (calls++ % purgeEvery === 0) {
        await database.query(
          'delete from rate_window where seconds[array_upper(seconds, 1)] < $1',
          [firstCounted(now)],
        )
        await database.query('delete from abuse where failures[array_upper(failures, 1)] < $1', [
          new Date(now - 3_600_000).toISOString(),
        ])
      }
      // the update decides on the row that it locked
      const [row] = await database.query(
        `with b as (
           select max(blocked_until) as until from abuse where caller = any($7::text[])
         ), counted as (
           insert into rate_window as w (caller, class, seconds, requests, admitted)
           select $1, $2, array[$3::integer], array[$8::integer], true from b where $8::integer <= $4 and (until is null or until <= $5)
           on conflict (caller, class) do update set (seconds, requests, admitted) = (
             with recent as (select second, n from unnest(w.seconds, w.requests) u (second, n) where second >= $6::integer),
             verdict as (select coalesce(sum(n), 0) + $8::integer <= $4 as fits, greatest($3::integer, max(second)) as second from recent)
             select array_agg(second order by second), array_agg(n order by second), (select fits from verdict) from (
               select second, sum(n)::integer as n
               from (select second, n from recent union all select second, $8::integer from verdict where fits) every_one group by second
             ) sums
           )
           returning seconds, requests, admitted
         )
         select until, coalesce(c.seconds, w.seconds) as seconds, coalesce(c.requests, w.requests) as requests, c.admitted
         from b left join counted c on true left join rate_window w on w.caller = $1 and w.class = $2`,
        [
          caller,
          rateClass,
          toSecond(now),
          limit,
          new Date(now).toISOString(),
          firstCounted(now),
          parties,
          amount,
        ],
      )
      return toCount(row, now)
    },

    adjust: async ({ caller, rateClass }, second, change) => {
      await database.query(
        `update rate_window set requests = (
           select array_agg(case when second = $3 then greatest(0, n + $4::integer) else n end order by second)
           from unnest(seconds, requests) u (second, n)
         ) where caller = $1 and class = $2 and $3::integer = any (seconds)`,
        [caller, rateClass, second, change],
      )
    },

    read: async ({ caller, rateClass, parties = [caller] }, now) => {
      const [row] = await database.query(
        `select (select max(blocked_until) from abuse where caller = any($3::text[])) as until, w.seconds, w.requests
         from (select) one left join rate_window w on w.caller = $1 and w.class = $2`,
        [caller, rateClass, parties],
      )
      return toCount(row, now)
    },

    fail: async (caller, { failures, windowSeconds, blockSeconds }, now) => {
      const time = (offsetSeconds: number) => new Date(now + offsetSeconds * 1000).toISOString()
      const [row] = await database.query(
        `insert into abuse as a (caller, failures) values ($1, array[$2::timestamptz])
         on conflict (caller) do update set (failures, blocked_until) = (
           select case when count(*) > $4 then '{}' else array_agg(t order by t) end, case when count(*) > $4 then $5::timestamptz end
           from unnest(a.failures || $2::timestamptz) t where t > $3::timestamptz
         ) where a.blocked_until is null or a.blocked_until <= $2::timestamptz
         returning blocked_until`,
        [caller, time(0), time(-windowSeconds), failures, time(blockSeconds)],
      )
      const until = row?.['blocked_until']
      return until instanceof Date ? until.getTime() : undefined
    },
  }
}

function toCount(row: Row | undefined, now: number): Count {
  const numbers = (name: string): readonly number[] =>
    Array.isArray(row?.[name]) ? (row[name] as readonly number[]) : []
  const requests = numbers('requests')
  const recent = numbers('seconds').map((second, index) => [second, requests[index] ?? 0] as const)
  const until = row?.['until']
  return {
    admitted: row?.['admitted'] === true,
    recent: recent.filter(([second]) => second >= firstCounted(now)),
    ...(until instanceof Date && { blockedUntil: until.getTime() }),
  }
}
