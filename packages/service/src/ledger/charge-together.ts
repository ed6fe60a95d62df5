import type { Database } from '../database/database.js'
import { momentOf, type Charge, type ChargeResult, type LedgerOptions } from './books.js'
import { payReady, purse, spendDiem } from './pay-together.js'
import type { Ways } from './share-statements.js'

/** `$1` the charges in order, as JSON, `$2` time, `$3` start of the day. */
const wanted = `
  wanted as (
    select * from rows from (json_to_recordset($1::text::json) as (
      entry text, account text, amount bigint, request text, model text, operation text, key text, fingerprint text
    )) with ordinality as w (entry, account, amount, request, model, operation, key, fingerprint, place)
  )`

/**
 * Keys are claimed before any account is locked, as all other statements do, and in one order: no two statements wait for each other. Only what can
 * be paid, as it seems before the account is locked, claims its key. Should that have been wrong, the claim that no entry came of makes the database
 * undo the statement.
 */
const claimed = `
  claim as (
    insert into idempotency (account_id, operation, key, fingerprint, entry_id, created_at)
    select account.id, operation, key, fingerprint, entry, $2
    from (select *, sum(amount) over (partition by account order by place) as upto from wanted) w
      join account on account.name = w.account cross join lateral (${purse}) purse
    where key is not null and upto <= usd + diem
    order by account.id, operation, key, place
    on conflict do nothing returning entry_id
  ), ready as (
    select * from wanted where key is null or entry in (select entry_id from claim)
  )`

const chargeReady = `
  ${payReady}, debit as (
    update account set balance = last.balance - usd_upto, entries = last.entries + nth, ${spendDiem}
    from last where account.id = last.id returning account.id
  ), written as (
    insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id, diem_amount, diem_day)
    select entry, id, entries + nth, from_diem - amount, balance - usd_upto, 'CHARGE', $2, request, model, -from_diem, $3::timestamptz::date
    from paid join debit using (id) returning 1
  )
  select entry, usd - usd_upto as balance from paid join debit using (id)`

const withKeys = `with ${wanted}, ${claimed}, ${chargeReady}`
const withoutKeys = `with ${wanted}, ready as (select * from wanted), ${chargeReady}`

/** Charges of any accounts in one statement, none of them for an API key. */
export function createChargeTogether(database: Database, { now, id }: LedgerOptions): Ways<Charge, ChargeResult>['together'] {
  return async (charges) => {
    const rows = charges.map(({ account, amount, requestId, modelId, idempotency }) => {
      return { entry: `led_${id()}`, account, amount: String(amount), request: requestId, model: modelId, ...idempotency }
    })
    const { time, day } = momentOf(now())
    const sql = charges.some(({ idempotency }) => idempotency) ? withKeys : withoutKeys
    const paid = await database.query<{ entry: string; balance: bigint }>(sql, [JSON.stringify(rows), time, day])
    const balances = new Map(paid.map(({ entry, balance }) => [entry, balance]))
    return rows.map(({ entry }) => {
      const balance = balances.get(entry)
      return balance === undefined ? undefined : { status: 'charged', entryId: entry, balance }
    })
  }
}
