import type { Database } from '../../platform/database/database.js'
import { auditLedger, type Discrepancy } from './audit.js'
import { createBalances, type Balances } from './balances.js'
import type { Entry, LedgerOptions } from './ledger-types.js'
import { createCrediting, type Crediting } from './credit.js'
import { createHolds, type Holds } from './holds.js'
import type { MicroUsd } from './money.js'
import { createCaptures, type Captures } from './captures.js'

export type { Credited, Entry, LedgerOptions, Payment } from './ledger-types.js'

/**
 * Account names are normalized wallet addresses, or `key:` with a name for accounts of API keys.
 */
export type Ledger = Balances &
  Holds &
  Captures &
  Crediting & {
    /** The spendable balance, after holds. 0 for an account that does not exist. */
    readonly balance: (account: string) => Promise<MicroUsd>
    /** Newest first. `hasMore`: older entries follow. `balance`: the spendable balance. */
    readonly entries: (
      account: string,
      page: { readonly limit: number; readonly offset: number },
    ) => Promise<{ readonly balance: MicroUsd; readonly entries: readonly Entry[]; readonly hasMore: boolean }>
    readonly audit: () => Promise<readonly Discrepancy[]>
  }

/** A balance for each account, and append-only entries. Single statements keep them consistent. */
export function createLedger(database: Database, options: LedgerOptions): Ledger {
  const balances = createBalances(database, options)
  return {
    ...balances,
    ...createHolds(database, options, balances.spendable),
    ...createCaptures(database, options),
    ...createCrediting(database, options),
    balance: async (account) => (await balances.spendable(account)).usd,

    entries: async (account, { limit, offset }) => {
      const rows = await database.query(
        `select a.balance - a.held as balance, a.entries > $2::bigint + $3::bigint as has_more, e.*
         from account a left join entry e
           on e.account_id = a.id and e.number <= a.entries - $3::bigint and e.number > a.entries - $3::bigint - $2::bigint
         where a.name = $1 order by e.number desc`,
        // larger offsets do not fit into a bigint
        [account, limit, Math.min(offset, Number.MAX_SAFE_INTEGER)],
      )
      const entries = rows.filter((row) => row['id'] !== null).map(toEntry)
      return { balance: (rows[0]?.['balance'] as bigint | undefined) ?? 0n, entries, hasMore: rows[0]?.['has_more'] === true }
    },

    audit: () => auditLedger(database),
  }
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
