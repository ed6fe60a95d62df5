import type { Database } from '../../platform/database/database.js'
import type { Wait } from '../../platform/database/share-statements.js'
import { contentSql } from './chain.js'
import type { Idempotency, LedgerOptions } from './ledger-types.js'
import type { MicroUsd } from './money.js'
import { countsSql, toMoment, type LockedAccounts } from './statements.js'

/**
 * The end of a hold: `amount` is charged and the rest is released. An amount of 0 releases all of
 * it.
 */
export type Capture = {
  readonly holdId: string
  readonly amount: MicroUsd
  readonly modelId: string | null
  readonly idempotency?: Idempotency
  /** What the work cost the operator. Null or missing: it is not known. */
  readonly cost?: MicroUsd | null
}

export type CaptureReceipt = { readonly entryId: string; readonly balance: MicroUsd }

/**
 * Each hold is ended by the first capture of it in the list, if it seems open and large enough.
 * Without the `limit`, the planner might read all holds for the few that are asked for.
 *
 * `$1` the captures in order, as JSON, `$2` time.
 */
const requestedRows = `
  wanted as (
    select * from rows from (json_to_recordset($1::text::json) as (
      hold text, amount bigint, entry text, model text, cost bigint, operation text, key text, fingerprint text
    )) with ordinality as w (hold, amount, entry, model, cost, operation, key, fingerprint, place)
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

const content = contentSql({
  account: 'name',
  number: 'number',
  id: 'entry',
  amount: '-from_usd',
  balanceAfter: 'balance_after',
  type: `'CHARGE'`,
  createdAt: '$2',
  requestId: 'request_id',
  modelId: 'model',
  diemAmount: '-from_diem',
  diemDay: 'diem_day',
  keyId: 'key_id',
  cost: 'cost',
})

/**
 * Released daily credit can only be spent again on the same day. What is released is taken off the
 * consumption of an API key and its ancestors, in the window in which each counted the hold. The range of `place`
 * contains all holds, but the planner takes it for narrow; the unusual condition for `held` keeps
 * the planner from the index of all open holds. So it looks each hold up by its id.
 */
const captureReady = (wait: Wait) => `
  locked as (
    select * from account where id = any (array(select account_id from ready)) order by id for no key update ${wait}
  ), ended as (
    update hold set state = case when one.amount > 0 then 'captured' else 'released' end
    from (select hold, amount from ready where place between 1 and 1000) one
    where id = one.hold and state not in ('captured', 'released') and account_id = any (array(select id from locked)) returning hold.*
  ), parts as (
    select entry, amount, place, coalesce(model, model_id) as model, cost, ended.*, least(diem, amount) as from_diem,
      amount - least(diem, amount) as from_usd
    from ended join ready on ready.hold = ended.id
  ), placed as (
    select parts.*, name, head, entries + count(*) filter (where amount > 0) over so_far as number,
      (balance - sum(from_usd) over so_far)::bigint as balance_after,
      (held - sum(usd) over so_far)::bigint as held_after,
      (diem_spent - sum(case when account.diem_day = parts.diem_day then diem - from_diem else 0 end) over so_far)::bigint as spent_after
    from parts join locked account on account.id = account_id window so_far as (partition by account_id order by place)
  ), after as (
    select *, chain_of(head, ${content}) filter (where amount > 0) over (partition by account_id order by place) as hash from placed
  ), debit as (
    update account set balance = balance_after, held = held_after, entries = number, diem_spent = spent_after,
      head = coalesce(hash, last.head)
    from (select distinct on (account_id) * from after order by account_id, place desc) last where account.id = last.account_id
    returning account.id
  ), counting as (
    select id as key_id, unnest(ancestors || id) as id from api_key where id = any (array(select key_id from after where amount < usd + diem))
  ), k as (
    select * from api_key where id = any (array(select id from counting)) for no key update
  ), uncounted as (
    update api_key set consumed_usd = greatest(0, back.consumed_usd - back.usd), consumed_diem = greatest(0, back.consumed_diem - back.diem)
    from (
      select api_key.id, consumed_usd, consumed_diem, sum(usd - from_usd) as usd, sum(diem - from_diem) as diem
      from after join counting on counting.key_id = after.key_id join k as api_key on api_key.id = counting.id
      where ${countsSql('after.diem_day')} group by 1, 2, 3
    ) back where api_key.id = back.id returning 1
  ), written as (
    insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id, diem_amount, diem_day, key_id, cost, hash)
    select entry, account_id, number, -from_usd, balance_after, 'CHARGE', $2, request_id, model, -from_diem, diem_day, key_id, cost, hash
    from after join debit on debit.id = account_id where amount > 0 returning 1
  )
  select entry, balance_after - held_after as balance from after join debit on debit.id = account_id`

const withKeys = (wait: Wait) => `with ${requestedRows}, ${claimed}, ${captureReady(wait)}`
const withoutKeys = (wait: Wait) =>
  `with ${requestedRows}, ready as (select * from fit), ${captureReady(wait)}`
const sql = {
  withKeys: { '': withKeys(''), nowait: withKeys('nowait') },
  withoutKeys: { '': withoutKeys(''), nowait: withoutKeys('nowait') },
}

/**
 * Captures and releases of any holds in one statement. Undefined for a hold that is not open or too
 * small, for a key that was charged before, and for an account that is locked.
 */
export function createCaptureMany(
  database: Database,
  { now, id }: LedgerOptions,
  locked: Pick<LockedAccounts, 'holdsAmong'>,
) {
  return async (
    captures: readonly Capture[],
    wait: Wait = '',
  ): Promise<readonly (CaptureReceipt | undefined)[]> => {
    const leftOut = await locked.holdsAmong(captures.map(({ holdId }) => holdId))
    if (leftOut.size === captures.length) return captures.map(() => undefined)
    const rows = captures.map(({ holdId, amount, modelId, idempotency, cost }) => {
      const known = cost === undefined || cost === null ? null : String(cost)
      return {
        hold: holdId,
        amount: String(amount),
        entry: `led_${id()}`,
        model: modelId,
        cost: known,
        ...idempotency,
      }
    })
    const kind = captures.some(({ idempotency }) => idempotency) ? 'withKeys' : 'withoutKeys'
    const params = [
      JSON.stringify(rows.filter(({ hold }) => !leftOut.has(hold))),
      toMoment(now()).time,
    ]
    const captured = await database.query<{ entry: string; balance: bigint }>(
      sql[kind][wait],
      params,
    )
    const balances = new Map(captured.map(({ entry, balance }) => [entry, balance]))
    return rows.map(({ entry }) => {
      const balance = balances.get(entry)
      return balance === undefined ? undefined : { entryId: entry, balance }
    })
  }
}
