import { randomUUID } from 'node:crypto'
import { takePeppers } from '../domain/accounts/peppers.js'
import { describeSize } from '../domain/backup/backup-file.js'
import {
  createKeyAdministration,
  type KeyAdministration,
} from '../domain/accounts/key-administration.js'
import { openDatabase, type DatabaseOptions } from '../platform/database/open-database.js'
import { migrate } from '../platform/database/migrate.js'
import { isReadOnly, type Database } from '../platform/database/database.js'
import { openDatabaseClock } from '../platform/database/database-clock.js'
import { openAudit } from './storage.js'
import type { ReconciliationReport } from '../domain/reconciliation/reconcile.js'
import { reconcileSettlements, type ReconcileRequest } from './reconcile-settlements.js'
import { createMoneyHandlers, type MoneyHandlers } from '../http/operator-api/money-handlers.js'
import { createLedger } from '../domain/ledger/ledger.js'
import { toMicroUsd, toUsd } from '../domain/ledger/money.js'
import { prices } from '@farebox/types/operations'

/** What an operator can do to the ledger of a stopped service, or of one on PostgreSQL. */
export type Administration = {
  /**
   * `faults` is empty when the ledger is consistent. `onlyNew` verifies only entries since the last
   * audit.
   */
  readonly audit: (options?: {
    readonly onlyNew?: boolean
  }) => Promise<{ readonly summary: string; readonly faults: readonly string[] }>
  readonly money: MoneyHandlers
  /** Changes an account, which is created if it belongs to API keys. Resolves to a summary. */
  readonly set: (
    account: string,
    changes: {
      readonly stakedTokens?: number | undefined
      readonly partner?: boolean | undefined
    },
  ) => Promise<string>
  readonly reconcile: (request: ReconcileRequest) => Promise<readonly ReconciliationReport[]>
  /** Account names have no `key:` prefix. An account is created with its first key. */
  readonly keys: KeyAdministration
  readonly close: () => Promise<void>
}

export type AdministrationOptions = DatabaseOptions & {
  readonly keyPepper?: string
  readonly keyPepperOld?: string
  readonly auditAnchor?: string
  readonly now?: () => number
}

/**
 * Opens the ledger, that of a standby only to read it. Rejects with a FolderLockedError while a
 * service uses the folder.
 */
export async function administer(options: AdministrationOptions): Promise<Administration> {
  const database = await openDatabase({ ...options, unhurried: true })
  await migrate(database)
  const now = options.now ?? (await openDatabaseClock(database)).now
  const ledger = createLedger(database, { now, id: randomUUID })
  const keys = createKeyAdministration(database, {
    now,
    // a standby makes no keys
    pepper: (await isReadOnly(database)) ? '' : (await takePeppers(database, options)).pepper,
  })
  const toAccountName = (account: string) =>
    account.startsWith('key:') ? account : `key:${account}`

  return {
    audit: async ({ onlyNew = false } = {}) => {
      const audit = await openAudit(database, now, options.auditAnchor)
      const faults = (await (onlyNew ? audit.auditNew() : audit.auditAll())).map(
        ({ account, fault }) => `${account}: ${fault}`,
      )
      return { summary: await summarize(database, faults.length), faults }
    },

    money: createMoneyHandlers({ database, ledger, now }),

    set: async (name, { stakedTokens, partner }) => {
      if (stakedTokens !== undefined)
        await ledger.setDailyCredit(
          name,
          toMicroUsd(stakedTokens * prices.dailyCreditUsdPerStakedToken),
        )
      if (partner !== undefined) await ledger.setPartner(name, partner)
      const balance = await ledger.spendable(name)
      return `${name.replace(/^key:/, '')} has ${toUsd(balance.usd)} USD, and ${toUsd(balance.diemDaily)} USD of daily credit.`
    },

    reconcile: (request) => reconcileSettlements(database, request, now),

    keys: {
      ...keys,
      list: ({ account, ...filter }) =>
        keys.list({ ...filter, ...(account !== undefined && { account: toAccountName(account) }) }),
      create: async ({ account, ...key }) => {
        await ledger.openKeyAccount(toAccountName(account), 0n)
        return keys.create({ ...key, account: toAccountName(account) })
      },
    },

    close: database.close,
  }
}

async function summarize(database: Database, faults: number): Promise<string> {
  const [row] = await database.query<{ accounts: bigint; entries: bigint }>(
    'select (select count(*) from account) as accounts, (select count(*) from entry) as entries',
  )
  const size = describeSize(row ?? { accounts: 0n, entries: 0n })
  return faults === 0
    ? `${size}: the ledger is consistent.`
    : `${size}: ${faults} ${faults === 1 ? 'difference' : 'differences'}.`
}
