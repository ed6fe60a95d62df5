import type { Database } from '../../platform/database/database.js'
import { firstHash, hashSql } from './chain.js'
import type { Idempotency, LedgerOptions, Payment } from './ledger-types.js'
import type { MicroUsd } from './money.js'
import { toMoment } from './statements.js'

/** Finished work that a payment of the scheme `upto` was settled for, in its whole amount. */
export type PaidWork = {
  readonly requestId: string
  readonly modelId: string | null
  /** What the work cost the operator. */
  readonly cost: MicroUsd | null
  /** The keys under which its charge is found: that of the request, and the use of the payment. */
  readonly keys: readonly Idempotency[]
}

export type PaymentCharges = {
  /**
   * Credits a settled payment to its payer and charges the work that it was settled for, in one
   * statement, so that no other request can spend the credit. False for a payment that was credited
   * before.
   */
  readonly chargePayment: (payment: Payment, work: PaidWork) => Promise<boolean>
}

const topUpHash = hashSql('a.head', {
  account: 'a.name',
  number: 'a.entries + 1',
  id: '$9',
  amount: '$6::bigint',
  balanceAfter: 'a.balance + $6::bigint',
  type: `'TOP_UP'`,
  createdAt: '$10',
  diemAmount: '0',
})

const chargeHash = hashSql('topped.top_up_hash', {
  account: 'topped.name',
  number: 'topped.entries + 2',
  id: '$11',
  amount: '-$6::bigint',
  balanceAfter: 'topped.balance',
  type: `'CHARGE'`,
  createdAt: '$10',
  requestId: '$12::text',
  modelId: '$13::text',
  diemAmount: '0',
  cost: '$14::bigint',
})

/**
 * The balance stays, so that it never goes below zero. The values that are written follow from the
 * account that was locked. A key that has another charge keeps it.
 *
 * `$1` to `$8` the columns of the payment, `$9` entry of the credit, `$10` time, `$11` entry of the
 * charge, `$12` request, `$13` model or null, `$14` cost or null, `$15` the keys, as JSON.
 */
const chargeSql = `
  with a as (
    select * from account where name = $4 for no key update
  ), claim as (
    insert into payment (id, network, asset, payer, nonce, amount, settled_by, transaction_hash, entry_id, created_at)
    select $1, $2, $3, name, $5, $6, $7, $8, $9, $10 from a on conflict do nothing returning id
  ), topped as (
    select a.*, ${topUpHash} as top_up_hash from a where exists (select from claim)
  ), charged as (
    select topped.*, ${chargeHash} as charge_hash from topped
  ), moved as (
    update account set entries = charged.entries + 2, head = charge_hash
    from charged where account.id = charged.id returning charged.*
  ), named as (
    insert into idempotency (account_id, operation, key, fingerprint, entry_id, created_at)
    select moved.id, w.operation, w.key, w.fingerprint, $11, $10
    from moved cross join json_to_recordset($15::text::json) as w (operation text, key text, fingerprint text)
    on conflict do nothing
  )
  insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id, cost, hash)
  select $9, id, entries + 1, $6::bigint, balance + $6::bigint, 'TOP_UP', $10, null, null, null, top_up_hash from moved
  union all
  select $11, id, entries + 2, -$6::bigint, balance, 'CHARGE', $10, $12, $13, $14::bigint, charge_hash from moved
  returning 1`

export function createPaymentCharges(
  database: Database,
  { now, id }: LedgerOptions,
): PaymentCharges {
  return {
    chargePayment: async (
      { id: paymentId, network, asset, payer, nonce, amount, settledBy, transaction },
      { requestId, modelId, cost, keys },
    ) => {
      const { time } = toMoment(now())
      await database.query(
        `insert into account (name, kind, balance, entries, head, created_at)
         values ($1, 'wallet', 0, 0, '\\x${firstHash.toString('hex')}'::bytea, $2) on conflict do nothing`,
        [payer, time],
      )
      const rows = await database.query(chargeSql, [
        paymentId,
        network,
        asset,
        payer,
        nonce,
        amount,
        settledBy,
        transaction,
        `led_${id()}`,
        time,
        `led_${id()}`,
        requestId,
        modelId,
        cost,
        JSON.stringify(keys),
      ])
      return rows.length > 0
    },
  }
}
