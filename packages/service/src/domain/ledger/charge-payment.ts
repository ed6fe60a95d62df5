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
  /**
   * Grants an account what it owes for delivered work whose payment was not settled, charges the
   * work with that, and deletes the debt, in one statement. Resolves to the id of the grant.
   * Undefined where the debt is gone.
   */
  readonly writeOff: (
    debt: Pick<Payment, 'id' | 'payer' | 'amount'>,
    work: PaidWork,
    correction: { readonly actor: string; readonly reason: string },
  ) => Promise<string | undefined>
}

const chargeHash = hashSql('credited.credit_hash', {
  account: 'credited.name',
  number: 'credited.entries + 2',
  id: '$6',
  amount: '-$3::bigint',
  balanceAfter: 'credited.balance',
  type: `'CHARGE'`,
  createdAt: '$5',
  requestId: '$7::text',
  modelId: '$8::text',
  diemAmount: '0',
  cost: '$9::bigint',
})

/** Where the credit comes from: `claim` returns a row if it is there, and has not been taken before. */
type Source = {
  readonly type: 'TOP_UP' | 'GRANT'
  readonly claim: string
  /** As SQL. */
  readonly actor: string
  readonly reason: string
}

/**
 * The balance stays, so that it never goes below zero. The values that are written follow from the
 * account that was locked. A key that has another charge keeps it.
 *
 * `$1` the payment, `$2` the account, `$3` the amount, `$4` entry of the credit, `$5` time, `$6`
 * entry of the charge, `$7` request, `$8` model or null, `$9` cost or null, `$10` the keys, as JSON.
 * The others are those of the source.
 */
const chargeSql = ({ type, claim, actor, reason }: Source) => `
  with a as (
    select * from account where name = $2 for no key update
  ), claim as (
    ${claim}
  ), credited as (
    select a.*, ${hashSql('a.head', {
      account: 'a.name',
      number: 'a.entries + 1',
      id: '$4',
      amount: '$3::bigint',
      balanceAfter: 'a.balance + $3::bigint',
      type: `'${type}'`,
      createdAt: '$5',
      diemAmount: '0',
      actor,
      reason,
    })} as credit_hash from a where exists (select from claim)
  ), charged as (
    select credited.*, ${chargeHash} as charge_hash from credited
  ), moved as (
    update account set entries = charged.entries + 2, head = charge_hash
    from charged where account.id = charged.id returning charged.*
  ), named as (
    insert into idempotency (account_id, operation, key, fingerprint, entry_id, created_at)
    select moved.id, w.operation, w.key, w.fingerprint, $6, $5
    from moved cross join json_to_recordset($10::text::json) as w (operation text, key text, fingerprint text)
    on conflict do nothing
  )
  insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id, cost, actor, reason, hash)
  select $4, id, entries + 1, $3::bigint, balance + $3::bigint, '${type}', $5, null, null, null, ${actor}, ${reason}, credit_hash from moved
  union all
  select $6, id, entries + 2, -$3::bigint, balance, 'CHARGE', $5, $7, $8, $9::bigint, null, null, charge_hash from moved
  returning 1`

/** `$11` network, `$12` asset, `$13` nonce, `$14` who settled it, `$15` transaction. */
const paymentSql = chargeSql({
  type: 'TOP_UP',
  claim: `insert into payment (id, network, asset, payer, nonce, amount, settled_by, transaction_hash, entry_id, created_at)
    select $1, $11, $12, name, $13, $3, $14, $15, $4, $5 from a on conflict do nothing returning id`,
  actor: 'null::text',
  reason: 'null::text',
})

/** `$11` actor, `$12` reason. */
const debtSql = chargeSql({
  type: 'GRANT',
  claim: 'delete from open_payment where id = $1 and unsettled returning id',
  actor: '$11::text',
  reason: '$12::text',
})

export function createPaymentCharges(
  database: Database,
  { now, id }: LedgerOptions,
): PaymentCharges {
  /** Resolves to the entry of the credit. */
  const charge = async (
    sql: string,
    payment: Pick<Payment, 'id' | 'payer' | 'amount'>,
    { requestId, modelId, cost, keys }: PaidWork,
    more: readonly unknown[],
  ): Promise<string | undefined> => {
    const { time } = toMoment(now())
    await database.query(
      `insert into account (name, kind, balance, entries, head, created_at)
       values ($1, 'wallet', 0, 0, '\\x${firstHash.toString('hex')}'::bytea, $2) on conflict do nothing`,
      [payment.payer, time],
    )
    const entryId = `led_${id()}`
    const rows = await database.query(sql, [
      payment.id,
      payment.payer,
      payment.amount,
      entryId,
      time,
      `led_${id()}`,
      requestId,
      modelId,
      cost,
      JSON.stringify(keys),
      ...more,
    ])
    return rows.length > 0 ? entryId : undefined
  }
  return {
    chargePayment: async (payment, work) => {
      const { network, asset, nonce, settledBy, transaction } = payment
      const more = [network, asset, nonce, settledBy, transaction]
      return (await charge(paymentSql, payment, work, more)) !== undefined
    },
    writeOff: (debt, work, { actor, reason }) => charge(debtSql, debt, work, [actor, reason]),
  }
}
