import type { Database } from '../../platform/database/database.js'
import { type Wait, shareStatements } from '../../platform/database/share-statements.js'
import { wasUndone } from '../../platform/database/storage-error.js'
import type { UnfinishedWork } from '../../platform/unfinished.js'
import type { Balances } from './read-ledger.js'
import type {
  HeldWork,
  Hold,
  HoldResult,
  LedgerOptions,
  Purchase,
  InsufficientBalance,
} from './ledger-types.js'
import { toMoment, utcDaySql, queryLocked, maxLockWaiters } from './statements.js'

export type Holds = {
  /**
   * Holds credit in one statement, which holds that come at once share. The balance does not go
   * below zero, nor beyond a limit of the API key. With `least`, it holds as much of the amount as
   * there is. The hold ends by itself after `lifetimeMs`. With `work`, the statement also inserts a
   * row for it, and rejects with nothing held if the row is rejected.
   */
  readonly hold: (purchase: Purchase, lifetimeMs: number, work?: HeldWork) => Promise<HoldResult>
}

export function createHolds(
  database: Database,
  options: LedgerOptions,
  spendable: Balances['spendable'],
  unfinished: Pick<UnfinishedWork<string>, 'add'>,
): Holds {
  const holdOne = createHoldOne(database, options, spendable)
  const share = shareStatements<Hold, HoldResult>({
    one: holdOne,
    many: createHoldMany(database, options),
  })
  return {
    hold: async (purchase, lifetimeMs, work) => {
      const goesAlone = work !== undefined || purchase.amount <= 0n
      const hold = { ...purchase, lifetimeMs, id: `hold_${options.id()}` }
      try {
        return await (goesAlone ? holdOne(hold, work) : share(hold, hold.account))
      } catch (error) {
        // the hold may exist anyway; one with work is ended by its work
        if (!work && !wasUndone(error)) unfinished.add(hold.id)
        throw error
      }
    },
  }
}

/**
 * The day and the spent daily credit of an account. A statement that waited over midnight counts
 * for the day that another one has begun meanwhile: that day must not begin twice.
 */
const today = (day: string) => `
  select greatest(diem_day, ${utcDaySql(day)}) as day, case when diem_day >= ${utcDaySql(day)} then diem_spent else 0 end as spent`

/** The start of the window of an API key on the day of its account. */
const window = `
  select date_trunc(case limit_period when 'EPOCH' then 'day' when 'MONTH' then 'month' end, day::timestamp) at time zone 'UTC' as since`

/**
 * The account is locked, and then the key with its ancestors, whose limits all hold. The daily
 * credit pays first and USD the rest; what any limit does not leave is not held, and nothing is
 * held when that leaves less than the least. The values that are written follow from the row that
 * was locked. An update begins with the row as it was when its statement began, which may be an
 * older one, and the checks of the table would fail on that.
 *
 * `$1` account, `$2` amount, `$3` key or null, `$4` time, `$5` start of the day, `$6` process or
 * null, `$7` hold, `$8` request, `$9` model or null, `$10` end of the hold.
 */
const holdSql = (work: string, wait: Wait, least = '$2::bigint') => `
  with a as (
    select id, balance, held, entries, balance - held as usd, day, spent, diem_daily - spent as diem
    from account cross join lateral (${today('$5')}) today
    where name = $1 and frozen_at is null for no key update of account ${wait}
  ), k as (
    select api_key.id, revoked_at, limit_usd, least(limit_diem, limit_vcu) as limit_diem, since,
      case when consumed_since is not distinct from since then consumed_usd else 0 end as consumed_usd,
      case when consumed_since is not distinct from since then consumed_diem else 0 end as consumed_diem
    from api_key join a on a.id = api_key.account_id cross join lateral (${window}) period where api_key.id = any ((select ancestors || id from api_key where id = $3::uuid)::uuid[]) for no key update of api_key ${wait}
  ), allowed as (
    select bool_and(revoked_at is null) as valid, min(limit_usd - consumed_usd) as usd, min(limit_diem - consumed_diem) as diem from k
  ), parts as (
    select a.*, greatest(0, least($2::bigint, a.diem, coalesce(allowed.diem, $2::bigint))) as from_diem,
      coalesce(allowed.usd, $2::bigint) as key_usd
    from a cross join allowed where $3::uuid is null or valid
  ), split as (
    select * from (
      select id, balance, held, entries, day, spent, from_diem, greatest(0, least($2::bigint - from_diem, usd, key_usd)) as from_usd from parts
    ) available where from_diem + from_usd >= ${least}
  ), counted as (
    update api_key set consumed_since = k.since, consumed_usd = k.consumed_usd + split.from_usd,
      consumed_diem = k.consumed_diem + split.from_diem
    from k, split where api_key.id = k.id returning 1
  ), reserved as (
    update account set balance = split.balance, held = split.held + split.from_usd, diem_day = split.day, diem_spent = split.spent + split.from_diem
    from split where account.id = split.id returning account.id, account.balance, account.held, split.day, split.from_usd, split.from_diem
  ), written as (
    insert into hold (id, account_id, key_id, usd, diem, diem_day, request_id, model_id, state, expires_at, created_at, process_id)
    select $7, id, $3::uuid, from_usd, from_diem, day, $8, $9, 'held', $10, $4, $6 from reserved returning 1
  )${work}
  select balance - held as balance, from_usd + from_diem as amount from reserved`

const whole: Readonly<Record<Wait, string>> = { '': holdSql('', ''), nowait: holdSql('', 'nowait') }
/** `$11` is the least amount. */
const partial: Readonly<Record<Wait, string>> = {
  '': holdSql('', '', '$11::bigint'),
  nowait: holdSql('', 'nowait', '$11::bigint'),
}

function holdSqlWithWork({ insert }: HeldWork): Readonly<Record<Wait, string>> {
  const work = `, worked as (${insert})`
  return { '': holdSql(work, ''), nowait: holdSql(work, 'nowait') }
}

/** Holds on one account, also for a part of the amount, or with other work. */
function createHoldOne(
  database: Database,
  { now, processId }: Pick<LedgerOptions, 'now' | 'processId'>,
  spendable: Balances['spendable'],
) {
  const query = queryLocked(database, maxLockWaiters.holds)

  return async (hold: Hold, work?: HeldWork): Promise<HoldResult> => {
    const { id, account, amount, least, keyId, requestId, modelId, lifetimeMs } = hold
    const start = now()
    const { time, day } = toMoment(start)
    const until = toMoment(start + lifetimeMs).time
    const process = work ? null : (processId ?? null)
    const params = [
      account,
      amount,
      keyId ?? null,
      time,
      day,
      process,
      id,
      requestId,
      modelId,
      until,
      ...(work?.params ?? (least === undefined ? [] : [least])),
    ]
    const sql = work ? holdSqlWithWork(work) : least === undefined ? whole : partial
    const [row] = await query<{ balance: bigint; amount: bigint }>(sql, params)
    if (row) return { status: 'held', id, balance: row.balance, amount: row.amount }
    return { status: 'insufficient', ...(await explainRejection(database, hold, spendable)) }
  }
}

/** Reads the balance for the error message. */
async function explainRejection(
  database: Database,
  { account, keyId, amount: most, least: amount = most }: Purchase,
  spendable: Balances['spendable'],
): Promise<Pick<InsufficientBalance, 'balance' | 'reason'>> {
  const { usd: balance, diem, isFrozen } = await spendable(account)
  if (isFrozen) return { balance, reason: 'frozen' }
  if (keyId === undefined || balance + diem < amount) return { balance, reason: 'balance' }
  if (await isRevoked(database, keyId)) return { balance, reason: 'key revoked' }
  return { balance, reason: balance >= amount ? 'key limit usd' : 'key limit diem' }
}

/** A key is revoked with any key that it comes from. */
async function isRevoked(database: Database, keyId: string): Promise<boolean> {
  const rows = await database.query(
    `select from api_key where revoked_at is not null and id = any ((select ancestors || id from api_key where id = $1::uuid)::uuid[])`,
    [keyId],
  )
  return rows.length > 0
}

type SuccessfulHold = Extract<HoldResult, { readonly status: 'held' }>

/**
 * The accounts are locked in one order, and then the API keys with their ancestors. Each account
 * pays in the order of `place`, as far as its credit goes: the day's credit first, then USD. As in
 * the statement for one hold, the values that are written follow from the rows that were locked.
 *
 * `line`: each key, and the keys whose limits apply to it; `allowed`: whether the limits of all of
 * them leave the amount, be it daily credit or USD, after those before it. Where a limit decides how
 * a price is split, the hold is left to the statement for one. `paid`: the holds that are made, and
 * where each leaves its account; `last`: where the last one leaves it.
 *
 * `$1` the holds in order, as JSON, `$2` time, `$3` start of the day, `$4` process or null.
 */
const holdManySql = (wait: Wait) => `
  with ready as (
    select * from rows from (json_to_recordset($1::text::json) as (
      hold text, account text, amount bigint, key uuid, request text, model text, until timestamptz
    )) with ordinality as w (hold, account, amount, key, request, model, until, place)
  ), locked as (
    select * from account where name = any (array(select account from ready)) and frozen_at is null order by id for no key update ${wait}
  ), line as (
    select id as key, unnest(ancestors || id) as member from api_key where id = any (array(select key from ready))
  ), k as (
    select api_key.id, account_id, revoked_at, since, limit_usd, least(limit_diem, limit_vcu) as limit_diem,
      case when consumed_since is not distinct from since then consumed_usd else 0 end as consumed_usd,
      case when consumed_since is not distinct from since then consumed_diem else 0 end as consumed_diem
    from api_key join locked on locked.id = account_id cross join lateral (${today('$3')}) today cross join lateral (${window}) period
    where api_key.id = any (array(select member from line))
    order by api_key.id for no key update of api_key ${wait}
  ), allowed as (
    select place from (
      select place, account, member, sum(amount) over (partition by member order by place) as upto from ready join line using (key)
    ) drawn left join k on k.id = member left join locked on locked.id = k.account_id and locked.name = account
    group by place having bool_and(
      locked.id is not null and revoked_at is null
      and coalesce(upto <= least(limit_usd - consumed_usd, limit_diem - consumed_diem), true)
    )
  ), paid as (
    select *, least(upto, diem) - least(upto - amount, diem) as from_diem, spent + least(upto, diem) as spent_after,
      upto - least(upto, diem) as usd_upto
    from (
      select ready.*, id, balance, held, (sum(amount) over so_far)::bigint as upto, row_number() over so_far as nth, available.*
      from ready join locked on name = account cross join lateral (
        select balance - held as usd, greatest(0, diem_daily - spent) as diem, day, spent from (${today('$3')}) today
      ) available where key is null or place in (select place from allowed) window so_far as (partition by id order by place)
    ) summed where upto <= usd + diem
  ), last as (
    select distinct on (id) * from paid order by id, nth desc
  ), counted as (
    update api_key set consumed_since = k.since, consumed_usd = k.consumed_usd + usd, consumed_diem = k.consumed_diem + diem
    from k join (
      select member, sum(amount - from_diem) as usd, sum(from_diem) as diem from paid join line using (key) group by member
    ) used on k.id = member where api_key.id = k.id returning 1
  ), reserved as (
    update account set balance = last.balance, held = last.held + usd_upto, diem_day = last.day, diem_spent = spent_after
    from last where account.id = last.id returning account.id
  ), written as (
    insert into hold (id, account_id, key_id, usd, diem, diem_day, request_id, model_id, state, expires_at, created_at, process_id)
    select hold, id, key, amount - from_diem, from_diem, day, request, model, 'held', until, $2, $4
    from paid join reserved using (id) returning 1
  )
  select hold, usd - usd_upto as balance from paid join reserved using (id)`

const manySql: Readonly<Record<Wait, string>> = {
  '': holdManySql(''),
  nowait: holdManySql('nowait'),
}

/**
 * Holds of whole amounts on any accounts in one statement. Undefined where the balance is too low,
 * the account frozen, or a limit of the API key near.
 */
export function createHoldMany(
  database: Database,
  { now, processId }: Pick<LedgerOptions, 'now' | 'processId'>,
) {
  return async (
    holds: readonly Hold[],
    wait: Wait = '',
  ): Promise<readonly (SuccessfulHold | undefined)[]> => {
    const { time, day } = toMoment(now())
    const rows = holds.map(({ id, account, amount, keyId, requestId, modelId, lifetimeMs }) => {
      const until = toMoment(now() + lifetimeMs).time
      return {
        hold: id,
        account,
        amount: String(amount),
        key: keyId,
        request: requestId,
        model: modelId,
        until,
      }
    })
    const held = await database.query<{ hold: string; balance: bigint }>(manySql[wait], [
      JSON.stringify(rows),
      time,
      day,
      processId ?? null,
    ])
    const balances = new Map(held.map(({ hold, balance }) => [hold, balance]))
    return rows.map(({ hold, amount }) => {
      const balance = balances.get(hold)
      return balance === undefined
        ? undefined
        : { status: 'held', id: hold, balance, amount: BigInt(amount) }
    })
  }
}
