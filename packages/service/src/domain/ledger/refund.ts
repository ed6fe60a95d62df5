import type { Database } from '../../platform/database/database.js'
import { uniqueViolation, unlessRefused } from '../../platform/database/storage-error.js'
import { hashSql } from './chain.js'
import type { LedgerOptions } from './ledger-types.js'
import { toMoment } from './statements.js'
import type { MicroUsd } from './money.js'

const entryHash = hashSql('account.head', {
  account: 'account.name',
  number: 'account.entries + 1',
  id: '$2',
  amount: 'part.usd',
  balanceAfter: 'account.balance + part.usd',
  type: `'REFUND'`,
  createdAt: '$3',
  requestId: 'part.request_id',
  modelId: 'part.model_id',
  diemAmount: 'part.diem',
  diemDay: 'part.diem_day',
  keyId: 'part.key_id',
  refunds: '$1',
  cost: 'part.no_cost',
  refundedBefore: 'part.refunded_before',
  actor: '$5::text',
  reason: '$6::text',
})

/** A refund by an operator. */
type PartOfCharge = {
  readonly entryId: string
  /** Of the refund. */
  readonly id: string
  /** Default: all that is left of the charge. */
  readonly amount?: MicroUsd | undefined
  readonly actor?: string
  readonly reason?: string
}

type RefundStatement = (part: PartOfCharge) => Promise<'refunded' | 'nothing' | 'taken'>

/**
 * Gives back a charge, or a part of it: its USD first, and then its daily credit, which comes back
 * on the day of the charge alone. `nothing`: there is no such charge, or less is left of it.
 * `taken`: another refund of the charge came first, or the id is that of another entry. What the
 * work cost is not given back: where that is known, the refund costs 0. A refund without an actor
 * undoes the request, and so deletes its Idempotency-Key.
 */
export function createRefundStatement(
  database: Database,
  { now }: Pick<LedgerOptions, 'now'>,
): RefundStatement {
  return async ({ entryId, id, amount, actor, reason }) => {
    const rows = await unlessRefused(
      uniqueViolation,
      database.query(
        `with c as (
           select account_id, key_id, created_at as taken_at, request_id, model_id, diem_day,
             case when cost is not null then 0::bigint end as no_cost,
             -amount - given.usd as usd_left, -diem_amount - given.diem as diem_left, given.usd + given.diem as refunded_before
           from entry cross join lateral (
             select coalesce(sum(r.amount), 0)::bigint as usd, coalesce(sum(r.diem_amount), 0)::bigint as diem
             from entry r where r.refunds = $1
           ) given where id = $1 and type = 'CHARGE'
         ), part as (
           select *, least(wanted, usd_left) as usd, wanted - least(wanted, usd_left) as diem
           from c cross join lateral (select coalesce($4::bigint, usd_left + diem_left) as wanted) amount
           where wanted between 1 and usd_left + diem_left
         ), credit as (
           update account set balance = balance + part.usd, entries = entries + 1,
             diem_spent = case when account.diem_day = part.diem_day then account.diem_spent - part.diem else account.diem_spent end,
             head = ${entryHash}
           from part where account.id = part.account_id
           returning account.id, balance, entries, head, part.*
         ), uncounted as (
           update api_key set consumed_usd = greatest(0, api_key.consumed_usd - credit.usd),
             consumed_diem = greatest(0, api_key.consumed_diem - credit.diem)
           from credit join api_key own on own.id = credit.key_id
           where api_key.id = any (own.ancestors || own.id) and (api_key.consumed_since is null or api_key.consumed_since <= credit.taken_at)
           returning 1
         ), unclaimed as (
           delete from idempotency where entry_id = $1 and $5::text is null and exists (select from credit) returning 1
         )
         insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id, diem_amount, diem_day, key_id,
           refunds, refunded_before, cost, actor, reason, hash)
         select $2, account_id, entries, usd, balance, 'REFUND', $3, request_id, model_id, diem, diem_day, key_id,
           $1, refunded_before, no_cost, $5::text, $6::text, head from credit
         returning 1`,
        [entryId, id, toMoment(now()).time, amount ?? null, actor ?? null, reason ?? null],
      ),
    )
    if (rows === undefined) return 'taken'
    return rows.length === 1 ? 'refunded' : 'nothing'
  }
}

/** Gives back what is left of a charge whose work failed. Resolves to whether anything was left. */
export function createRefund(database: Database, options: LedgerOptions) {
  const refund = createRefundStatement(database, options)
  return async (entryId: string): Promise<boolean> => {
    for (;;) {
      const result = await refund({ entryId, id: `led_${options.id()}` })
      if (result !== 'taken') return result === 'refunded'
    }
  }
}
