import type { Database, Row } from '../../platform/database/database.js'
import { shareStatements } from '../../platform/database/share-statements.js'
import {
  findFirstCountedSecond,
  toSecond,
  type Count,
  type Counter,
  type LimitStore,
} from './limits.js'

/**
 * Counts in the database, for several processes. A crash of the database server clears the counts.
 */
export function createSharedLimits(database: Database): LimitStore {
  const share = shareStatements<CountRequest, Count>({
    many: (works) => countMany(database, works),
  })
  const shareAdjustments = shareStatements<Adjustment, true>({
    many: async (works) => {
      await adjustMany(database, works)
      return works.map(() => true)
    },
  })
  return {
    count: (counter, limit, now, amount = 1) =>
      share({ counter, limit, now, amount }, `${counter.rateClass} ${counter.caller}`),

    adjust: async (counter, second, change) => {
      await shareAdjustments({ counter, second, change }, `${counter.rateClass} ${counter.caller}`)
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

type CountRequest = {
  readonly counter: Counter
  readonly limit: number
  readonly now: number
  readonly amount: number
}

/**
 * Counts as many of the `times` as fit, in one row of each counter, unless a party is blocked. An
 * update decides on the row that it locked. `admitted` is how many the last statement counted. With
 * the `limit`, the planner looks a row up by its key: it expects a hundred counters, and would read
 * all rows for them. With the `offset`, it adds a window up once. The seconds of a row ascend.
 */
const countSql = `
  with w as (
    select * from json_to_recordset($1::text::json) as (
      caller text, class text, most integer, amount integer, times integer, second integer, first integer, at timestamptz, parties text[]
    )
  ), b as (
    select w.*, (select max(blocked_until) from abuse where abuse.caller = any (w.parties)) as until from w
  ), counted as (
    insert into rate_window as r (caller, class, seconds, requests, admitted)
    select caller, class, array[second], array[amount * fits], fits
    from b cross join lateral (select least(times, case when amount = 0 then times else most / amount end) as fits) room
    where amount <= most and (until is null or until <= at) order by caller, class
    on conflict (caller, class) do update set (seconds, requests, admitted) = (
      select
        case when fits = 0 or latest >= second then kept.seconds else kept.seconds || second end,
        case when fits = 0 then kept.requests when latest >= second then kept.requests[:size - 1] || kept.requests[size] + amount * fits
          else kept.requests || amount * fits end,
        fits
      from w cross join lateral (
        select width_bucket(first - 1, r.seconds) as gone
      ) old cross join lateral (
        select r.seconds[gone + 1:] as seconds, r.requests[gone + 1:] as requests
      ) kept cross join lateral (
        select cardinality(kept.seconds) as size, kept.seconds[cardinality(kept.seconds)] as latest,
          (select coalesce(sum(n), 0) from unnest(kept.requests) n) as used offset 0
      ) recent cross join lateral (
        select least(times, case when amount = 0 then times else greatest(0, (most - used) / amount) end)::integer as fits
      ) verdict where w.caller = r.caller and w.class = r.class
    )
    returning caller, class, seconds, requests, admitted
  )
  select b.caller, b.class, until, coalesce(c.seconds, r.seconds) as seconds, coalesce(c.requests, r.requests) as requests,
    coalesce(c.admitted, 0) as admitted
  from b left join counted c using (caller, class) left join lateral (
    select seconds, requests from rate_window where c.caller is null and caller = b.caller and class = b.class limit 1
  ) r on true`

/** Equal counts of one counter are one row of the statement; those that differ go alone. */
async function countMany(
  database: Database,
  works: readonly CountRequest[],
): Promise<readonly (Count | undefined)[]> {
  const groups = new Map<string, { readonly first: CountRequest; readonly places: number[] }>()
  for (const [place, work] of works.entries()) {
    const name = `${work.counter.rateClass} ${work.counter.caller}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, { first: work, places: [place] })
    else if (isSameCount(group.first, work)) group.places.push(place)
  }
  const rows = await database.query(countSql, [
    JSON.stringify(
      Array.from(groups.values(), ({ first: { counter, limit, now, amount }, places }) => ({
        caller: counter.caller,
        class: counter.rateClass,
        most: limit,
        amount,
        times: places.length,
        second: toSecond(now),
        first: findFirstCountedSecond(now),
        at: new Date(now).toISOString(),
        parties: counter.parties ?? [counter.caller],
      })),
    ),
  ])
  const counts: (Count | undefined)[] = works.map(() => undefined)
  for (const row of rows) {
    const group = groups.get(`${row['class'] as string} ${row['caller'] as string}`)
    const admitted = Number(row['admitted'])
    for (const [index, place] of (group?.places ?? []).entries()) {
      const { now, amount } = works[place] as CountRequest
      const count = toCount(row, now)
      // those that were counted after it
      const later = Math.max(0, admitted - 1 - index) * amount
      const [second, n] = count.recent.at(-1) ?? [0, 0]
      const recent =
        later === 0 ? count.recent : [...count.recent.slice(0, -1), [second, n - later] as const]
      counts[place] = { ...count, admitted: index < admitted, recent }
    }
  }
  return counts
}

type Adjustment = {
  readonly counter: Counter
  readonly second: number
  readonly change: number
}

/**
 * Locks the rows in the order in which counts do. All seconds are in the range, but the planner
 * takes it for narrow, and so looks each window up.
 */
const adjustSql = `
  with w as (
    select caller, class, array_agg(second) as seconds, array_agg(change) as changes from (
      select caller, class, second, sum(change)::integer as change
      from json_to_recordset($1::text::json) as (caller text, class text, second integer, change integer) where second > 0 and second < 2147483647 group by 1, 2, 3
    ) sums group by 1, 2
  ), locked as (
    select w.* from w join rate_window using (caller, class) order by caller, class for update of rate_window
  )
  update rate_window r set requests = (
    select array_agg(greatest(0, n + coalesce(change, 0)) order by second)
    from unnest(r.seconds, r.requests) u (second, n) left join unnest(locked.seconds, locked.changes) v (second, change) using (second)
  ) from locked where locked.caller = r.caller and locked.class = r.class and locked.seconds && r.seconds`

async function adjustMany(database: Database, works: readonly Adjustment[]): Promise<void> {
  const rows = works.map(({ counter, second, change }) => ({
    caller: counter.caller,
    class: counter.rateClass,
    second,
    change,
  }))
  await database.query(adjustSql, [JSON.stringify(rows)])
}

function isSameCount(one: CountRequest, other: CountRequest): boolean {
  return (
    one.limit === other.limit &&
    one.amount === other.amount &&
    toSecond(one.now) === toSecond(other.now) &&
    String(one.counter.parties) === String(other.counter.parties)
  )
}

function toCount(row: Row | undefined, now: number): Count {
  const numbers = (name: string): readonly number[] =>
    Array.isArray(row?.[name]) ? (row[name] as readonly number[]) : []
  const requests = numbers('requests')
  const first = findFirstCountedSecond(now)
  const recent: (readonly [second: number, requests: number])[] = []
  for (const [index, second] of numbers('seconds').entries())
    if (second >= first) recent.push([second, requests[index] ?? 0])
  const until = row?.['until']
  return {
    admitted: false,
    recent,
    ...(until instanceof Date && { blockedUntil: until.getTime() }),
  }
}
