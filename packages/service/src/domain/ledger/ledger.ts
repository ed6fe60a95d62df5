import type { Database } from '../../platform/database/database.js'
import { createUnfinished } from '../../platform/unfinished.js'
import { auditLedger, type LedgerFault } from './audit.js'
import { createBalances, type Balances, createEntries, type Entries } from './read-ledger.js'
import { createCaptures, type Captures } from './captures.js'
import { createCorrections, type Corrections } from './corrections.js'
import { createPaymentCharges, type PaymentCharges } from './charge-payment.js'
import { createCrediting, type Crediting } from './credit.js'
import { createHolds, type Holds } from './holds.js'
import type { LedgerOptions } from './ledger-types.js'
import type { MicroUsd } from './money.js'

export type { CreditedPayment, Entry, LedgerOptions, Payment } from './ledger-types.js'

/**
 * Account names are normalized wallet addresses, or `key:` with a name for accounts of API keys.
 */
export type Ledger = Balances &
  Entries &
  Holds &
  Captures &
  Crediting &
  PaymentCharges &
  Corrections & {
    /** The spendable balance, after holds. 0 for an account that does not exist. */
    readonly balance: (account: string) => Promise<MicroUsd>
    /** What does not agree in the whole ledger. */
    readonly audit: () => Promise<readonly LedgerFault[]>
  }

/** A balance for each account, and append-only entries. Single statements keep them consistent. */
export function createLedger(database: Database, options: LedgerOptions): Ledger {
  const balances = createBalances(database, options)
  /** Ids of holds. */
  const unfinished = createUnfinished<string>()
  return {
    ...balances,
    ...createEntries(database),
    ...createHolds(database, options, balances.spendable, unfinished),
    ...createCaptures(database, options, unfinished),
    ...createCrediting(database, options),
    ...createPaymentCharges(database, options),
    ...createCorrections(database, options),
    balance: async (account) => (await balances.spendable(account)).usd,
    audit: () => auditLedger(database),
  }
}
