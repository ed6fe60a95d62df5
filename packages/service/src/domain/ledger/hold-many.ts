import type { Database } from '../../platform/database/database.js'
import type { Hold, HoldResult, LedgerOptions } from './ledger-types.js'
import { toMoment, utcDay, type Wait } from './statements.js'

export type Held = Extract<HoldResult, { readonly status: 'held' }>

/**
 * The accounts are locked in one order, and each pays in the order of `place`, as far as its credit
 * goes: the day's credit first, then USD. As in the statement for one hold, the values that are
 * written follow from the rows that were locked. `paid`: the holds that are made, and where each
 * leaves its account; `last`: where the last one leaves it.
 *
 * `$1` the holds in order, as JSON, `$2` time, `$3` start of the day, `$4` process or null.
 */
const sqlWith = (wait: Wait) => `
  with ready as (
    select * from rows from (json_to_recordset($1::text::json) as (
      hold text, account text, amount bigint, request text, model text, until timestamptz
    )) with ordinality as w (hold, account, amount, request, model, until, place)
  ), locked as (
    select * from account where name = any (array(select account from ready)) and frozen_at is null order by id for no key update ${wait}
  ), paid as (
    select *, least(upto, diem) - least(upto - amount, diem) as from_diem, spent + least(upto, diem) as spent_after,
      upto - least(upto, diem) as usd_upto
    from (
      select ready.*, id, balance, held, (sum(amount) over so_far)::bigint as upto, row_number() over so_far as nth, available.*
      from ready join locked on name = account cross join lateral (
        select balance - held as usd, greatest(0, diem_daily - spent) as diem, spent
        from (select case when diem_day = ${utcDay('$3')} then diem_spent else 0 end as spent) today
      ) available window so_far as (partition by id order by place)
    ) summed where upto <= usd + diem
  ), last as (
    select distinct on (id) * from paid order by id, nth desc
  ), reserved as (
    update account set balance = last.balance, held = last.held + usd_upto, diem_day = ${utcDay('$3')}, diem_spent = spent_after
    from last where account.id = last.id returning account.id
  ), written as (
    insert into hold (id, account_id, usd, diem, diem_day, request_id, model_id, state, expires_at, created_at, process_id)
    select hold, id, amount - from_diem, from_diem, ${utcDay('$3')}, request, model, 'held', until, $2, $4
    from paid join reserved using (id) returning 1
  )
  select hold, usd - usd_upto as balance from paid join reserved using (id)`

const sql: Readonly<Record<Wait, string>> = { '': sqlWith(''), nowait: sqlWith('nowait') }

/**
 * Holds on any accounts in one statement, none of them for an API key. Undefined where the balance
 * is too low, or the account frozen.
 */
export function createHoldMany(
  database: Database,
  { now, processId }: Pick<LedgerOptions, 'now' | 'processId'>,
) {
  return async (
    holds: readonly Hold[],
    wait: Wait = '',
  ): Promise<readonly (Held | undefined)[]> => {
    const { time, day } = toMoment(now())
    const rows = holds.map(({ id, account, amount, requestId, modelId, lifetimeMs }) => {
      const until = toMoment(now() + lifetimeMs).time
      return {
        hold: id,
        account,
        amount: String(amount),
        request: requestId,
        model: modelId,
        until,
      }
    })
    const held = await database.query<{ hold: string; balance: bigint }>(sql[wait], [
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
