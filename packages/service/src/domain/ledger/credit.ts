import type { Database } from '../../platform/database/database.js'
import { momentOf, type Credited, type LedgerOptions, type Payment } from './ledger-types.js'
import type { MicroUsd } from './money.js'
import { uniqueViolation, unlessRefused } from './refusals.js'

/** Top-ups, grants and settings of accounts. */
export type Crediting = {
  /**
   * Credits a payment once by its payer, nonce, asset and network. A repeat returns the first
   * credit. Undefined, without a credit, under an Idempotency-Key of another payment.
   */
  readonly creditPayment: (payment: Payment, key?: string) => Promise<Credited | undefined>
  readonly findPayment: (key: Pick<Payment, 'network' | 'asset' | 'payer' | 'nonce'>) => Promise<Credited | undefined>
  /** Opens an account of API keys with a first credit, unless it exists. */
  readonly openKeyAccount: (account: string, credit: MicroUsd) => Promise<void>
  /** Credits an account of API keys, and opens it if necessary. */
  readonly grant: (account: string, credit: MicroUsd) => Promise<void>
  /** Sets the credit of each UTC day: staked tokens times the dollars a day for each. */
  readonly setDailyCredit: (account: string, credit: MicroUsd) => Promise<void>
  readonly setPartner: (account: string, partner: boolean) => Promise<void>
}

export function createCrediting(database: Database, { now, id }: LedgerOptions): Crediting {
  const time = () => momentOf(now()).time
  const entryId = () => `led_${id()}`
  const open = (account: string) =>
    database.query(`insert into account (name, kind, created_at) values ($1, 'key', $2) on conflict do nothing`, [account, time()])

  const findPayment: Crediting['findPayment'] = async ({ network, asset, payer, nonce }) => {
    const [row] = await database.query(
      `select p.*, e.balance_after from payment p join entry e on e.id = p.entry_id
       where p.network = $1 and p.asset = $2 and p.payer = $3 and p.nonce = $4`,
      [network, asset, payer, nonce],
    )
    return row && toCredited(row)
  }

  return {
    findPayment,

    creditPayment: async (payment, key) => {
      const { id: paymentId, network, asset, payer, nonce, amount, settledBy, transaction } = payment
      // a second use of a key violates its primary key, which undoes the whole statement
      const rows = await unlessRefused(
        uniqueViolation,
        database.query<{ balance_after: bigint }>(
          `with claim as (
             insert into payment (id, network, asset, payer, nonce, amount, settled_by, transaction_hash, entry_id, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing returning payer, amount
           ), credited as (
             insert into account (name, kind, balance, entries, created_at) select payer, 'wallet', amount, 1, $10 from claim
             on conflict (name) do update set balance = account.balance + excluded.balance, entries = account.entries + 1
             returning id, balance, entries
           ), named as (
             insert into idempotency (account_id, operation, key, fingerprint, entry_id, created_at)
             select id, 'topUp', $11::text, $1, $9, $10 from credited where $11::text is not null
           )
           insert into entry (id, account_id, number, amount, balance_after, type, created_at)
           select $9, id, entries, $6, balance, 'TOP_UP', $10 from credited returning balance_after`,
          [paymentId, network, asset, payer, nonce, amount, settledBy, transaction, entryId(), time(), key ?? null],
        ),
      )
      if (!rows) return undefined
      const [row] = rows
      if (row) return { id: paymentId, network, payer, amount, transaction, settledBy, balanceAfter: row.balance_after }
      const earlier = await findPayment(payment)
      if (earlier) return earlier
      throw new Error(`Ledger: payment ${paymentId} was neither credited nor found`)
    },

    openKeyAccount: async (account, credit) => {
      await database.query(
        `with opened as (
           insert into account (name, kind, balance, entries, created_at)
           values ($1, 'key', $2::bigint, case when $2::bigint > 0 then 1 else 0 end, $4) on conflict do nothing returning id
         )
         insert into entry (id, account_id, number, amount, balance_after, type, created_at)
         select $3, id, 1, $2::bigint, $2::bigint, 'GRANT', $4 from opened where $2::bigint > 0`,
        [account, credit, entryId(), time()],
      )
    },

    grant: async (account, credit) => {
      await open(account)
      await database.query(
        `with credited as (
           update account set balance = balance + $2::bigint, entries = entries + 1 where name = $1 returning id, balance, entries
         )
         insert into entry (id, account_id, number, amount, balance_after, type, created_at)
         select $3, id, entries, $2::bigint, balance, 'GRANT', $4 from credited`,
        [account, credit, entryId(), time()],
      )
    },

    setDailyCredit: async (account, credit) => {
      await open(account)
      await database.query('update account set diem_daily = $2 where name = $1', [account, credit])
    },

    setPartner: async (account, partner) => {
      await open(account)
      await database.query('update account set partner = $2 where name = $1', [account, partner])
    },
  }
}

function toCredited(row: Readonly<Record<string, unknown>>): Credited {
  return {
    id: row['id'] as string,
    network: row['network'] as string,
    payer: row['payer'] as string,
    amount: row['amount'] as bigint,
    transaction: row['transaction_hash'] as string,
    settledBy: row['settled_by'] as string,
    balanceAfter: row['balance_after'] as bigint,
  }
}
