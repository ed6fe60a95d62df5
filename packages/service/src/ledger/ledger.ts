import type { Database } from '../database/database.js'
import type { MicroUsd } from './money.js'

/** One movement of an account's credit. */
export type Entry = {
  readonly id: string
  readonly amount: MicroUsd
  readonly balanceAfter: MicroUsd
  readonly type: string
  readonly createdAt: Date
  readonly requestId: string | null
  readonly modelId: string | null
}

/** What is bought with a charge. */
export type Charge = {
  readonly account: string
  readonly amount: MicroUsd
  readonly requestId: string
  readonly modelId: string | null
  /** Charges once for each key, however often the request is sent. `fingerprint` tells requests of one key apart. */
  readonly idempotency?: { readonly operation: string; readonly key: string; readonly fingerprint: string }
}

export type ChargeResult =
  | { readonly status: 'charged'; readonly balance: MicroUsd }
  /** The key was charged before, for a request with this fingerprint. */
  | { readonly status: 'known'; readonly fingerprint: string; readonly balance: MicroUsd }
  | { readonly status: 'insufficient'; readonly balance: MicroUsd }

/** A payment that was verified and settled, to be credited once. */
export type Payment = {
  /** Follows from what was signed. */
  readonly id: string
  readonly network: string
  readonly asset: string
  readonly payer: string
  readonly nonce: string
  readonly amount: MicroUsd
  readonly settledBy: string
  readonly transaction: string
}

export type Credited = {
  readonly id: string
  readonly network: string
  readonly payer: string
  readonly amount: MicroUsd
  readonly transaction: string
  readonly settledBy: string
  /** Balance right after the payment was credited. */
  readonly balanceAfter: MicroUsd
}

/** Names of accounts are wallet addresses in their normal form, and `key:` with a name for those behind API keys. */
export type Ledger = {
  /** 0 for an account that nobody has paid into. */
  readonly balance: (account: string) => Promise<MicroUsd>
  /** Newest first. `hasMore` says whether older ones follow. */
  readonly entries: (
    account: string,
    page: { readonly limit: number; readonly offset: number },
  ) => Promise<{ readonly balance: MicroUsd; readonly entries: readonly Entry[]; readonly hasMore: boolean }>
  /** Takes the amount if there is as much, in one statement. Never goes below zero, whatever else happens at the same time. */
  readonly charge: (charge: Charge) => Promise<ChargeResult>
  /**
   * Credits a payment unless one of its payer, nonce, asset and network was credited before; then the answer is that one. With an
   * Idempotency-Key that another payment of the wallet was credited under, nothing is credited and nothing comes back.
   */
  readonly creditPayment: (payment: Payment, key?: string) => Promise<Credited | undefined>
  readonly findPayment: (key: Pick<Payment, 'network' | 'asset' | 'payer' | 'nonce'>) => Promise<Credited | undefined>
  /** The fingerprint of the request that was charged under the key. */
  readonly findCharge: (key: { readonly account: string; readonly operation: string; readonly key: string }) => Promise<string | undefined>
  /** Opens the account behind a key with a first credit, unless it is open already. */
  readonly openKeyAccount: (account: string, credit: MicroUsd) => Promise<void>
  /** Accounts whose entries do not add up to their balance, or do not follow from each other. Empty when all is well. */
  readonly audit: () => Promise<readonly string[]>
}

export type LedgerOptions = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Never twice the same. */
  readonly id: () => string
}

/** The books: append-only entries and a balance for each account, kept in step by single statements. */
export function createLedger(database: Database, { now, id }: LedgerOptions): Ledger {
  const time = () => new Date(now()).toISOString()
  const entryId = () => `led_${id()}`

  const findPayment: Ledger['findPayment'] = async ({ network, asset, payer, nonce }) => {
    const [row] = await database.query(
      `select p.*, e.balance_after from payment p join entry e on e.id = p.entry_id
       where p.network = $1 and p.asset = $2 and p.payer = $3 and p.nonce = $4`,
      [network, asset, payer, nonce],
    )
    return row && toCredited(row)
  }

  const balance = async (account: string): Promise<MicroUsd> => {
    const [row] = await database.query<{ balance: bigint }>('select balance from account where name = $1', [account])
    return row?.balance ?? 0n
  }

  return {
    balance,
    findPayment,

    entries: async (account, { limit, offset }) => {
      const rows = await database.query(
        `select a.balance, a.entries > $2::bigint + $3::bigint as has_more, e.*
         from account a left join entry e
           on e.account_id = a.id and e.number <= a.entries - $3::bigint and e.number > a.entries - $3::bigint - $2::bigint
         where a.name = $1 order by e.number desc`,
        [account, limit, offset],
      )
      const entries = rows.filter((row) => row['id'] !== null).map(toEntry)
      return { balance: (rows[0]?.['balance'] as bigint | undefined) ?? 0n, entries, hasMore: rows[0]?.['has_more'] === true }
    },

    charge: async ({ account, amount, requestId, modelId, idempotency }) => {
      // a key that was charged before makes `claim` empty, and with it all that follows from it; on PostgreSQL a parallel charge can empty the
      // account between claim and debit, and then the foreign key undoes the claim
      const rows = idempotency
        ? await unlessRefused(
            foreignKeyViolation,
            database.query<{ balance: bigint }>(
              `with claim as (
               insert into idempotency (account_id, operation, key, fingerprint, entry_id, created_at)
               select id, $7, $8, $9, $3, $4 from account where name = $1 and balance >= $2
               on conflict do nothing returning account_id
             ), debit as (
               update account set balance = balance - $2, entries = entries + 1
               where id = (select account_id from claim) and balance >= $2 returning id, balance, entries
             )
             insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id)
             select $3, id, entries, -$2::bigint, balance, 'CHARGE', $4, $5, $6 from debit returning balance_after as balance`,
              [account, amount, entryId(), time(), requestId, modelId, idempotency.operation, idempotency.key, idempotency.fingerprint],
            ),
          )
        : await database.query<{ balance: bigint }>(
            `with debit as (
               update account set balance = balance - $2, entries = entries + 1
               where name = $1 and balance >= $2 returning id, balance, entries
             )
             insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id)
             select $3, id, entries, -$2::bigint, balance, 'CHARGE', $4, $5, $6 from debit returning balance_after as balance`,
            [account, amount, entryId(), time(), requestId, modelId],
          )
      const [row] = rows ?? []
      if (row) return { status: 'charged', balance: row.balance }
      const known = idempotency && (await findFingerprint(database, account, idempotency.operation, idempotency.key))
      return known === undefined
        ? { status: 'insufficient', balance: await balance(account) }
        : { status: 'known', fingerprint: known, balance: await balance(account) }
    },

    findCharge: ({ account, operation, key }) => findFingerprint(database, account, operation, key),

    creditPayment: async (payment, key) => {
      const { id, network, asset, payer, nonce, amount, settledBy, transaction } = payment
      // a key that is taken breaks its primary key, which undoes the whole statement
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
          [id, network, asset, payer, nonce, amount, settledBy, transaction, entryId(), time(), key ?? null],
        ),
      )
      if (!rows) return undefined
      const [row] = rows
      if (row) return { id, network, payer, amount, transaction, settledBy, balanceAfter: row.balance_after }
      const earlier = await findPayment(payment)
      if (earlier) return earlier
      throw new Error(`Ledger: payment ${id} was neither credited nor found`)
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

    audit: async () => {
      const rows = await database.query<{ name: string }>(
        `select a.name from account a left join (
           select account_id, sum(amount) as total, count(*) as count, max(number) as last,
             bool_and(balance_after = running) as chained
           from (select *, sum(amount) over (partition by account_id order by number) as running from entry) e group by account_id
         ) s on s.account_id = a.id
         where a.balance <> coalesce(s.total, 0) or a.entries <> coalesce(s.count, 0) or a.entries <> coalesce(s.last, 0)
           or not coalesce(s.chained, true)
         order by a.name`,
      )
      return rows.map(({ name }) => name)
    },
  }
}

const foreignKeyViolation = '23503'
const uniqueViolation = '23505'

/** Undefined when the database refused the statement for this reason, and so did nothing. */
async function unlessRefused<T>(code: string, rows: Promise<T>): Promise<T | undefined> {
  try {
    return await rows
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === code) return undefined
    throw error
  }
}

async function findFingerprint(database: Database, account: string, operation: string, key: string): Promise<string | undefined> {
  const [row] = await database.query<{ fingerprint: string }>(
    `select i.fingerprint from idempotency i join account a on a.id = i.account_id
     where a.name = $1 and i.operation = $2 and i.key = $3`,
    [account, operation, key],
  )
  return row?.fingerprint
}

function toEntry(row: Readonly<Record<string, unknown>>): Entry {
  return {
    id: row['id'] as string,
    amount: row['amount'] as bigint,
    balanceAfter: row['balance_after'] as bigint,
    type: row['type'] as string,
    createdAt: row['created_at'] as Date,
    requestId: row['request_id'] as string | null,
    modelId: row['model_id'] as string | null,
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
