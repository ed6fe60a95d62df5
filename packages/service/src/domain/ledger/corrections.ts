import { createHash } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import { uniqueViolation, unlessRefused } from '../../platform/database/storage-error.js'
import { hashSql } from './chain.js'
import { toEntry } from './entries.js'
import type { Entry, LedgerOptions } from './ledger-types.js'
import { toMoment } from './statements.js'
import type { MicroUsd } from './money.js'
import { createRefundStatement } from './refund.js'

/** Who moves money by hand, and why. */
type Correction = {
  readonly actor?: string
  readonly reason?: string
  /** What has this key is done once, however often it is asked for. Default: each time. */
  readonly key?: string | undefined
}

export type CorrectionResult =
  | { readonly status: 'done' | 'repeated'; readonly account: string; readonly entry: Entry }
  /** The key is that of another correction. */
  | { readonly status: 'conflict'; readonly account: string; readonly entry: Entry }
  /** There is no such charge or account. */
  | { readonly status: 'unknown' }
  /** More than `left`, which is the rest of the charge or the spendable balance. */
  | { readonly status: 'too much'; readonly left: MicroUsd }

/** What an operator changes in the ledger by hand. Each is an entry that names its actor. */
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

/** `$1` the account, `$2` the signed amount, `$3` the entry, `$4` the time, `$5` actor, `$6` reason. */
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
    const found = await find(id)
    return found && { status: isSame(found) ? 'repeated' : 'conflict', ...found }
  }

  const done = async (id: string): Promise<CorrectionResult> => {
    const found = await find(id)
    if (!found) throw new Error(`Ledger: the entry ${id} was written, and is not there`)
    return { status: 'done', ...found }
  }

  const move = async (
    type: MoveType,
    account: string,
    amount: MicroUsd,
    correction: Correction,
  ): Promise<CorrectionResult> => {
    const id = entryIdFor(correction)
    const { actor = null, reason = null } = correction
    const rows = await unlessRefused(
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
    const [found] = await database.query<{ spendable: bigint }>(
      'select balance - held as spendable from account where name = $1',
      [account],
    )
    return found ? { status: 'too much', left: found.spendable } : { status: 'unknown' }
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
