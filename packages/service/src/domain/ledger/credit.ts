import type { Database } from '../../platform/database/database.js'
import { uniqueViolation, ignoreRejection } from '../../platform/database/storage-error.js'
import { firstHash, hashSql } from './chain.js'
import type { CreditedPayment, LedgerOptions, Payment, PaymentUse } from './ledger-types.js'
import { toMoment } from './statements.js'
import type { MicroUsd } from './money.js'

/** Top-ups, and the settings of accounts. */
export type Crediting = {
  /**
   * Credits a payment once by its payer, nonce, asset and network. A repeat returns the first
   * credit, and leaves its use. Undefined, without a credit, when the key of `use` has another.
   */
  readonly creditPayment: (
    payment: Payment,
    use?: PaymentUse,
  ) => Promise<CreditedPayment | undefined>
  readonly findPayment: (
    key: Pick<Payment, 'network' | 'asset' | 'payer' | 'nonce'>,
  ) => Promise<CreditedPayment | undefined>
  /** Opens an account of API keys with a first credit, unless it exists. */
  readonly openKeyAccount: (account: string, credit: MicroUsd) => Promise<void>
  /** Sets the credit of each UTC day: staked tokens times the dollars a day for each. */
  readonly setDailyCredit: (account: string, credit: MicroUsd) => Promise<void>
  readonly setPartner: (account: string, partner: boolean) => Promise<void>
}

type CreditSql = {
  readonly account: string
  readonly id: string
  readonly amount: string
  readonly type: 'TOP_UP' | 'GRANT'
  readonly at: string
}

const noHash = `'\\x${firstHash.toString('hex')}'::bytea`

/** The hash of the first entry of a new account. */
const openingHashSql = ({ account, id, amount, type, at }: CreditSql) =>
  hashSql(noHash, {
    account,
    number: '1',
    id,
    amount,
    balanceAfter: amount,
    type: `'${type}'`,
    createdAt: at,
    diemAmount: '0',
  })

/** The columns of an account that an update sets for its next credit. */
const creditAccountSql = ({ account, id, amount, type, at }: CreditSql) => `
  balance = account.balance + ${amount}, entries = account.entries + 1,
  head = ${hashSql('account.head', {
    account,
    number: 'account.entries + 1',
    id,
    amount,
    balanceAfter: `account.balance + ${amount}`,
    type: `'${type}'`,
    createdAt: at,
    diemAmount: '0',
  })}`

const paymentSql: CreditSql = {
  account: '$4',
  id: '$9',
  amount: '$6::bigint',
  type: 'TOP_UP',
  at: '$10',
}
const grantSql: CreditSql = {
  account: '$1',
  id: '$3',
  amount: '$2::bigint',
  type: 'GRANT',
  at: '$4',
}

export function createCrediting(database: Database, { now, id }: LedgerOptions): Crediting {
  const time = () => toMoment(now()).time
  const entryId = () => `led_${id()}`
  const open = (account: string) =>
    database.query(
      `insert into account (name, kind, created_at) values ($1, 'key', $2) on conflict do nothing`,
      [account, time()],
    )

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

    creditPayment: async (payment, use) => {
      const {
        id: paymentId,
        network,
        asset,
        payer,
        nonce,
        amount,
        settledBy,
        transaction,
      } = payment
      const { key = null, operation = null, fingerprint = null } = use ?? {}
      // a second use of a key violates its primary key, which undoes the whole statement
      const rows = await ignoreRejection(
        uniqueViolation,
        database.query<{ balance_after: bigint }>(
          `with claim as (
             insert into payment (id, network, asset, payer, nonce, amount, settled_by, transaction_hash, entry_id, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing returning payer, amount
           ), credited as (
             insert into account (name, kind, balance, entries, head, created_at)
             select payer, 'wallet', amount, 1, ${openingHashSql(paymentSql)}, $10 from claim
             on conflict (name) do update set ${creditAccountSql(paymentSql)}
             returning id, balance, entries, head
           ), named as (
             insert into idempotency (account_id, operation, key, fingerprint, entry_id, created_at)
             select id, $12::text, $11::text, $13::text, $9, $10 from credited where $11::text is not null
           )
           insert into entry (id, account_id, number, amount, balance_after, type, created_at, hash)
           select $9, id, entries, $6, balance, 'TOP_UP', $10, head from credited returning balance_after`,
          [
            paymentId,
            network,
            asset,
            payer,
            nonce,
            amount,
            settledBy,
            transaction,
            entryId(),
            time(),
            key,
            operation,
            fingerprint,
          ],
        ),
      )
      if (!rows) return undefined
      const [row] = rows
      if (row)
        return {
          id: paymentId,
          network,
          payer,
          amount,
          transaction,
          settledBy,
          balanceAfter: row.balance_after,
        }
      const earlier = await findPayment(payment)
      if (earlier) return earlier
      throw new Error(`Ledger: payment ${paymentId} was neither credited nor found`)
    },

    openKeyAccount: async (account, credit) => {
      await database.query(
        `with opened as (
           insert into account (name, kind, balance, entries, head, created_at)
           select $1, 'key', $2::bigint, number, case when number > 0 then ${openingHashSql(grantSql)} else ${noHash} end, $4
           from (select case when $2::bigint > 0 then 1 else 0 end as number) first
           on conflict do nothing returning id, head
         )
         insert into entry (id, account_id, number, amount, balance_after, type, created_at, hash)
         select $3, id, 1, $2::bigint, $2::bigint, 'GRANT', $4, head from opened where $2::bigint > 0`,
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

function toCredited(row: Readonly<Record<string, unknown>>): CreditedPayment {
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
