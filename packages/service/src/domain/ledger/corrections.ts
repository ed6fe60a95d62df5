import { createHash } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import { uniqueViolation, ignoreRejection } from '../../platform/database/storage-error.js'
import { hashSql } from './chain.js'
import { toEntry } from './read-ledger.js'
import type { Entry, LedgerOptions } from './ledger-types.js'
import { countsSql, toMoment } from './statements.js'
import type { MicroUsd } from './money.js'

/** Who moves money by hand, and why. */
type Correction = {
  readonly actor?: string
  readonly reason?: string
  /** Corrections with the same key take effect once. Default: each of them does. */
  readonly key?: string | undefined
}

export type CorrectionResult =
  | { readonly status: 'done' | 'repeated'; readonly account: string; readonly entry: Entry }
  /** The key is that of another correction. */
  | { readonly status: 'conflict'; readonly account: string; readonly entry: Entry }
  /** The charge or account does not exist. */
  | { readonly status: 'unknown' }
  /** More than `left`, which is the rest of the charge or the spendable balance. */
  | { readonly status: 'too much'; readonly left: MicroUsd }

/** Manual changes to the ledger by an operator. Each is an entry that names its actor. */
export type Corrections = {
  /** Gives back a charge, or `amount` of what earlier refunds left of it. */
  readonly refundCharge: (
    entryId: string,
    amount: MicroUsd | undefined,
    correction: Correction,
  ) => Promise<CorrectionResult>
  /** Credits an account, and opens one of API keys if necessary. */
  readonly grant: (
    account: string,
    credit: MicroUsd,
    correction?: Correction,
  ) => Promise<CorrectionResult>
  /** Takes credit away, never more than can be spent: open holds are safe. */
  readonly debit: (
    account: string,
    amount: MicroUsd,
    correction: Correction,
  ) => Promise<CorrectionResult>
}

type MoveType = 'GRANT' | 'DEBIT'

/**
 * `$1` the account, `$2` the signed amount, `$3` the entry, `$4` the time, `$5` actor, `$6` reason.
 */
const moveSql = (type: MoveType) => `
  with moved as (
    update account set balance = account.balance + $2::bigint, entries = account.entries + 1,
      head = ${hashSql('account.head', {
        account: '$1',
        number: 'account.entries + 1',
        id: '$3',
        amount: '$2::bigint',
        balanceAfter: 'account.balance + $2::bigint',
        type: `'${type}'`,
        createdAt: '$4',
        diemAmount: '0',
        actor: '$5::text',
        reason: '$6::text',
      })}
    where name = $1 and account.balance + $2::bigint >= account.held returning id, balance, entries, head
  )
  insert into entry (id, account_id, number, amount, balance_after, type, created_at, actor, reason, hash)
  select $3, id, entries, $2::bigint, balance, '${type}', $4, $5::text, $6::text, head from moved
  returning 1`

const sql: Readonly<Record<MoveType, string>> = { GRANT: moveSql('GRANT'), DEBIT: moveSql('DEBIT') }

export function createCorrections(database: Database, options: LedgerOptions): Corrections {
  const refund = createRefundStatement(database, options)
  const time = () => toMoment(options.now()).time

  const entryIdFor = ({ key }: Correction) =>
    key === undefined
      ? `led_${options.id()}`
      : `led_${createHash('sha256').update(`correction ${key}`).digest('hex').slice(0, 32)}`

  const find = async (id: string) => {
    const [row] = await database.query(
      'select e.*, a.name from entry e join account a on a.id = e.account_id where e.id = $1',
      [id],
    )
    return row && { account: row['name'] as string, entry: toEntry(row) }
  }

  /**
   * The result for an entry that has the id of this correction already. Undefined where there is
   * none.
   */
  const findEarlier = async (
    id: string,
    isSame: (found: { readonly account: string; readonly entry: Entry }) => boolean,
  ): Promise<CorrectionResult | undefined> => {
    const original = await find(id)
    return original && { status: isSame(original) ? 'repeated' : 'conflict', ...original }
  }

  const done = async (id: string): Promise<CorrectionResult> => {
    const original = await find(id)
    if (!original) throw new Error(`Ledger: the entry ${id} was written, and is not there`)
    return { status: 'done', ...original }
  }

  const move = async (
    type: MoveType,
    account: string,
    amount: MicroUsd,
    correction: Correction,
  ): Promise<CorrectionResult> => {
    const id = entryIdFor(correction)
    const { actor = null, reason = null } = correction
    const rows = await ignoreRejection(
      uniqueViolation,
      database.query(sql[type], [account, amount, id, time(), actor, reason]),
    )
    if (rows?.length === 1) return done(id)
    // the entry may be an earlier one with this key, also where this one was too much
    const earlier = await findEarlier(
      id,
      ({ account: other, entry }) =>
        other === account && entry.type === type && entry.amount === amount,
    )
    if (earlier) return earlier
    const [row] = await database.query<{ spendable: bigint }>(
      'select balance - held as spendable from account where name = $1',
      [account],
    )
    return row ? { status: 'too much', left: row.spendable } : { status: 'unknown' }
  }

  return {
    refundCharge: async (entryId, amount, correction) => {
      const id = entryIdFor(correction)
      for (;;) {
        const { actor, reason } = correction
        const result = await refund({
          entryId,
          id,
          amount,
          ...(actor !== undefined && { actor }),
          ...(reason !== undefined && { reason }),
        })
        if (result === 'refunded') return done(id)
        const earlier = await findEarlier(
          id,
          ({ entry }) =>
            entry.refunds === entryId &&
            (amount === undefined || entry.amount + entry.dailyCredit === amount),
        )
        if (earlier) return earlier
        if (result === 'nothing') break
      }
      const [charge] = await database.query<{ remaining: bigint }>(
        `select (-amount - diem_amount - coalesce((select sum(amount + diem_amount) from entry where refunds = $1), 0))::bigint as remaining
         from entry where id = $1 and type = 'CHARGE'`,
        [entryId],
      )
      return charge ? { status: 'too much', left: charge.remaining } : { status: 'unknown' }
    },

    grant: async (account, credit, correction = {}) => {
      await database.query(
        `insert into account (name, kind, created_at) select $1, 'key', $2 where not exists (select from account where name = $1)
         on conflict do nothing`,
        [account, time()],
      )
      return move('GRANT', account, credit, correction)
    },

    debit: (account, amount, correction) => move('DEBIT', account, -amount, correction),
  }
}

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
 * Gives back a charge, or a part of it: its USD first, and then its daily credit, which is only
 * returned on the day of the charge. `nothing`: there is no such charge, or less is left of it.
 * `taken`: another refund of the charge came first, or the id is that of another entry. What the
 * work cost is not given back: where that is known, the refund costs 0. A refund without an actor
 * undoes the request, and so deletes its Idempotency-Key.
 */
function createRefundStatement(
  database: Database,
  { now }: Pick<LedgerOptions, 'now'>,
): RefundStatement {
  return async ({ entryId, id, amount, actor, reason }) => {
    const rows = await ignoreRejection(
      uniqueViolation,
      database.query(
        `with c as (
           select account_id, key_id, request_id, model_id, diem_day,
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
           where api_key.id = any (own.ancestors || own.id) and ${countsSql('credit.diem_day')}
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
