import type { Database } from '../database/database.js'
import { momentOf, type Hold, type HoldResult, type LedgerOptions } from './books.js'
import { payReady, spendDiem } from './pay-together.js'
import type { Ways } from './share-statements.js'

/** `$1` the holds in order, as JSON, `$2` time, `$3` start of the day. */
const sql = `
  with ready as (
    select * from rows from (json_to_recordset($1::text::json) as (
      hold text, account text, amount bigint, request text, model text, until timestamptz
    )) with ordinality as w (hold, account, amount, request, model, until, place)
  ), ${payReady}, debit as (
    update account set held = last.held + usd_upto, ${spendDiem} from last where account.id = last.id returning account.id
  ), written as (
    insert into hold (id, account_id, usd, diem, diem_day, request_id, model_id, state, expires_at, created_at)
    select hold, id, amount - from_diem, from_diem, $3::timestamptz::date, request, model, 'held', until, $2
    from paid join debit using (id) returning 1
  )
  select hold, usd - usd_upto as balance from paid join debit using (id)`

/** Holds on any accounts in one statement, none of them for an API key. */
export function createHoldTogether(database: Database, { now, id }: LedgerOptions): Ways<Hold, HoldResult>['together'] {
  return async (holds) => {
    const { time, day } = momentOf(now())
    const rows = holds.map(({ account, amount, requestId, modelId, lifetimeMs }) => {
      const until = momentOf(now() + lifetimeMs).time
      return { hold: `hold_${id()}`, account, amount: String(amount), request: requestId, model: modelId, until }
    })
    const held = await database.query<{ hold: string; balance: bigint }>(sql, [JSON.stringify(rows), time, day])
    const balances = new Map(held.map(({ hold, balance }) => [hold, balance]))
    return rows.map(({ hold }) => {
      const balance = balances.get(hold)
      return balance === undefined ? undefined : { status: 'held', id: hold, balance }
    })
  }
}
