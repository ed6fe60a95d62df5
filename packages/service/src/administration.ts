import { randomUUID } from 'node:crypto'
import { createApiKeys, keptPepper } from './domain/accounts/api-keys.js'
import { openDatabase, type DatabaseOptions } from './platform/database/open-database.js'
import { migrate } from './platform/database/migrate.js'
import type { Database } from './platform/database/database.js'
import { createLedger } from './domain/ledger/ledger.js'
import { toMicroUsd, toUsd } from './domain/ledger/money.js'
import { prices } from '@farebox/types/operations'

/** Changes to the ledger by an operator, on a folder without a service, or on PostgreSQL. */
export type Administration = {
  /** `faults` is empty when the ledger is consistent. */
  readonly audit: () => Promise<{ readonly summary: string; readonly faults: readonly string[] }>
  readonly credit: (
    account: string,
    changes: { readonly usd?: number | undefined; readonly stakedTokens?: number | undefined; readonly partner?: boolean | undefined },
  ) => Promise<string>
  /** Resolves to the secret of the new key. */
  readonly makeKey: (account: string, key: { readonly type: 'ADMIN' | 'INFERENCE'; readonly description: string }) => Promise<string>
  readonly close: () => Promise<void>
}

export type AdministrationOptions = DatabaseOptions & { readonly keyPepper?: string; readonly now?: () => number }

/** Opens the ledger. Rejects with a FolderLockedError while a service uses the folder. */
export async function administer(options: AdministrationOptions): Promise<Administration> {
  const { now = Date.now } = options
  const database = await openDatabase({ ...options, unhurried: true })
  await migrate(database)
  const ledger = createLedger(database, { now, id: randomUUID })
  const nameOf = (account: string) => (account.startsWith('key:') ? account : `key:${account}`)

  return {
    audit: async () => {
      const faults = (await ledger.audit()).map(({ account, fault }) => `${account}: ${fault}`)
      return { summary: await summaryOf(database, faults.length), faults }
    },

    credit: async (account, { usd, stakedTokens, partner }) => {
      const name = nameOf(account)
      if (usd !== undefined && usd > 0) await ledger.grant(name, toMicroUsd(usd))
      if (stakedTokens !== undefined) await ledger.setDailyCredit(name, toMicroUsd(stakedTokens * prices.dailyCreditUsdPerStakedToken))
      if (partner !== undefined) await ledger.setPartner(name, partner)
      const balance = await ledger.spendable(name)
      return `${account} has ${toUsd(balance.usd)} USD, and ${toUsd(balance.diemDaily)} USD of daily credit.`
    },

    makeKey: async (account, { type, description }) => {
      await ledger.openKeyAccount(nameOf(account), 0n)
      const keys = createApiKeys(database, { now, pepper: options.keyPepper ?? (await keptPepper(database)) })
      const made = await keys.create({ account: nameOf(account), type, description })
      if (made.status === 'created') return made.secret
      throw new Error(`No key was made for ${account}: there are as many active ones as there can be.`)
    },

    close: database.close,
  }
}

async function summaryOf(database: Database, faults: number): Promise<string> {
  const [row] = await database.query<{ accounts: bigint; entries: bigint }>(
    'select (select count(*) from account) as accounts, (select count(*) from entry) as entries',
  )
  const size = `${row?.accounts ?? 0n} accounts with ${row?.entries ?? 0n} entries`
  return faults === 0 ? `${size}: the books agree.` : `${size}: ${faults} ${faults === 1 ? 'difference' : 'differences'}.`
}
