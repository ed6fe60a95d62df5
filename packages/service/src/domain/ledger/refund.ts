import type { Database } from '../../platform/database/database.js'
import { hashSql } from './chain.js'
import { toMoment, type LedgerOptions } from './ledger-types.js'
import { uniqueViolation, unlessRefused } from './refusals.js'

const entryHash = hashSql('account.head', {
  account: 'account.name',
  number: 'account.entries + 1',
  id: '$2',
  amount: 'c.usd',
  balanceAfter: 'account.balance + c.usd',
  type: `'REFUND'`,
  createdAt: '$3',
  requestId: 'c.request_id',
  modelId: 'c.model_id',
  diemAmount: 'c.diem',
  diemDay: 'c.diem_day',
  keyId: 'c.key_id',
  refunds: '$1',
  cost: 'c.no_cost',
})

/**
 * Gives a charge back and deletes its Idempotency-Key. Daily credit comes back on the day of the
 * charge alone. What the work cost is not given back: where that is known, the refund costs 0.
 */
export function createRefund(database: Database, { now, id }: LedgerOptions) {
  return async (entryId: string): Promise<boolean> => {
    const rows = await unlessRefused(
      uniqueViolation,
      database.query(
        `with c as (
           select account_id, key_id, created_at as taken_at, request_id, model_id, diem_day, -amount as usd, -diem_amount as diem,
             case when cost is not null then 0::bigint end as no_cost
           from entry where id = $1 and type = 'CHARGE'
         ), credit as (
           update account set balance = balance + c.usd, entries = entries + 1,
             diem_spent = case when account.diem_day = c.diem_day then account.diem_spent - c.diem else account.diem_spent end,
             head = ${entryHash}
           from c where account.id = c.account_id and not exists (select from entry where refunds = $1)
           returning account.id, balance, entries, head, c.*
         ), uncounted as (
           update api_key set consumed_usd = greatest(0, api_key.consumed_usd - credit.usd),
             consumed_diem = greatest(0, api_key.consumed_diem - credit.diem)
           from credit join api_key own on own.id = credit.key_id
           where api_key.id = any (own.ancestors || own.id) and (api_key.consumed_since is null or api_key.consumed_since <= credit.taken_at)
           returning 1
         ), unclaimed as (
           delete from idempotency where entry_id = $1 and exists (select from credit) returning 1
         )
         insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id, diem_amount, diem_day, key_id, refunds, cost, hash)
         select $2, account_id, entries, usd, balance, 'REFUND', $3, request_id, model_id, diem, diem_day, key_id, $1, no_cost, head from credit
         returning 1`,
        [entryId, `led_${id()}`, toMoment(now()).time],
      ),
    )
    return rows?.length === 1
  }
}
