import type { Database } from '../../platform/database/database.js'
import { momentOf, type Idempotency, type LedgerOptions } from './ledger-types.js'
import type { MicroUsd } from './money.js'

/**
 * The end of a hold: `amount` is charged and the rest is released. An amount of 0 releases all of
 * it.
 */
export type Capture = {
  readonly holdId: string
  readonly amount: MicroUsd
  readonly modelId: string | null
  readonly idempotency?: Idempotency
}

export type Captured = { readonly entryId: string; readonly balance: MicroUsd }

/**
 * Each hold is ended by the first capture of it in the list, if it seems open and large enough.
 * Without the `limit`, the planner might read all holds for the few that are asked for.
 *
 * `$1` the captures in order, as JSON, `$2` time.
 */
const wanted = `
  wanted as (
    select * from rows from (json_to_recordset($1::text::json) as (
      hold text, amount bigint, entry text, model text, operation text, key text, fingerprint text
    )) with ordinality as w (hold, amount, entry, model, operation, key, fingerprint, place)
  ), fit as (
    select distinct on (w.hold) w.*, account_id from wanted w cross join lateral (select * from hold where id = w.hold limit 1) h
    where state = 'held' and amount <= usd + diem order by w.hold, place
  )`

/**
 * Keys are claimed before any account is locked, as by all other statements, and in one order: no
 * two statements wait for each other. The foreign key undoes the statement for a claim without an
 * entry: a hold was open before the account was locked, and ended meanwhile.
 */
const claimed = `
  claim as (
    insert into idempotency (account_id, operation, key, fingerprint, entry_id, created_at)
    select account_id, operation, key, fingerprint, entry, $2 from fit where key is not null
    order by account_id, operation, key, place
    on conflict do nothing returning entry_id
  ), ready as (
    select * from fit where key is null or entry in (select entry_id from claim)
  )`

/**
 * Daily credit that is released can be spent again on the same day alone. The consumption of an API
 * key and its ancestors falls in the window in which each counted the hold. The range of `place`
 * contains all holds, but the planner takes it for narrow; the unusual condition for `held` keeps
 * the planner from the index of all open holds. So it looks each hold up by its id.
 */
const captureReady = `
  locked as (
    select * from account where id = any (array(select account_id from ready)) order by id for no key update
  ), ended as (
    update hold set state = case when one.amount > 0 then 'captured' else 'released' end
    from (select hold, amount from ready where place between 1 and 1000) one
    where id = one.hold and state not in ('captured', 'released') and account_id = any (array(select id from locked)) returning hold.*
  ), parts as (
    select entry, amount, place, coalesce(model, model_id) as model, ended.*, least(diem, amount) as from_diem,
      amount - least(diem, amount) as from_usd
    from ended join ready on ready.hold = ended.id
  ), after as (
    select parts.*, entries + count(*) filter (where amount > 0) over so_far as number,
      (balance - sum(from_usd) over so_far)::bigint as balance_after,
      (held - sum(usd) over so_far)::bigint as held_after,
      (diem_spent - sum(case when account.diem_day = parts.diem_day then diem - from_diem else 0 end) over so_far)::bigint as spent_after
    from parts join locked account on account.id = account_id window so_far as (partition by account_id order by place)
  ), debit as (
    update account set balance = balance_after, held = held_after, entries = number, diem_spent = spent_after
    from (select distinct on (account_id) * from after order by account_id, place desc) last where account.id = last.account_id
    returning account.id
  ), counting as (
    select id as key_id, unnest(ancestors || id) as id from api_key where id = any (array(select key_id from after))
  ), k as (
    select * from api_key where id = any (array(select id from counting)) for no key update
  ), uncounted as (
    update api_key set consumed_usd = greatest(0, back.consumed_usd - back.usd), consumed_diem = greatest(0, back.consumed_diem - back.diem)
    from (
      select k.id, k.consumed_usd, k.consumed_diem, sum(usd - from_usd) as usd, sum(diem - from_diem) as diem
      from after join counting on counting.key_id = after.key_id join k on k.id = counting.id
      where consumed_since is null or consumed_since <= after.created_at group by 1, 2, 3
    ) back where api_key.id = back.id returning 1
  ), written as (
    insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id, diem_amount, diem_day, key_id)
    select entry, account_id, number, -from_usd, balance_after, 'CHARGE', $2, request_id, model, -from_diem, diem_day, key_id
    from after join debit on debit.id = account_id where amount > 0 returning 1
  )
  select entry, balance_after - held_after as balance from after join debit on debit.id = account_id`

const withKeys = `with ${wanted}, ${claimed}, ${captureReady}`
const withoutKeys = `with ${wanted}, ready as (select * from fit), ${captureReady}`

/**
 * Captures and releases of any holds in one statement. Undefined for a hold that is not open or too
 * small, and for a key that was charged before.
 */
export function createCaptureMany(database: Database, { now, id }: LedgerOptions) {
  return async (captures: readonly Capture[]): Promise<readonly (Captured | undefined)[]> => {
    const rows = captures.map(({ holdId, amount, modelId, idempotency }) => {
      return { hold: holdId, amount: String(amount), entry: `led_${id()}`, model: modelId, ...idempotency }
    })
    const sql = captures.some(({ idempotency }) => idempotency) ? withKeys : withoutKeys
    const params = [JSON.stringify(rows), momentOf(now()).time]
    const captured = await database.query<{ entry: string; balance: bigint }>(sql, params)
    const balances = new Map(captured.map(({ entry, balance }) => [entry, balance]))
    return rows.map(({ entry }) => {
      const balance = balances.get(entry)
      return balance === undefined ? undefined : { entryId: entry, balance }
    })
  }
}
