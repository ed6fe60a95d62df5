import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Database } from '@farebox/service'
// internals of the service, which no entry exports: their types from the sources, their code from
// the build
import type * as migrateModule from '../../../../../packages/service/src/platform/database/migrate.js'
import type * as pgliteModule from '../../../../../packages/service/src/platform/database/pglite.js'
import type * as postgresModule from '../../../../../packages/service/src/platform/database/postgres.js'
import type * as keysModule from '../../../../../packages/service/src/domain/accounts/api-keys.js'
import type * as ledgerModule from '../../../../../packages/service/src/domain/ledger/ledger.js'
import type * as usageModule from '../../../../../packages/service/src/domain/usage/usage-report.js'
import { root } from '../measure.js'

type Ledger = ledgerModule.Ledger
/** A statement that the ledger sent. */
export type SqlStatement = { readonly sql: string; readonly params: readonly unknown[] }

/** Holds a price and captures it, as the service does for a request. */
export async function chargeOnce(ledger: Ledger, account: string): Promise<void> {
  const held = await ledger.hold({ account, amount: 1n, requestId: 'r', modelId: 'm' }, 60_000)
  if (held.status !== 'held') throw new Error(`The hold was answered with ${held.status}`)
  const { status } = await ledger.capture(held.id, 1n, 'm')
  if (status !== 'captured') throw new Error(`A hold that was just made is ${status}`)
}

export function openPostgres(
  ...args: Parameters<typeof postgresModule.openPostgres>
): Promise<Database> {
  return load<typeof postgresModule>('platform/database/postgres').then((module) =>
    module.openPostgres(...args),
  )
}

export function openPglite(): Promise<Database> {
  return load<typeof pgliteModule>('platform/database/pglite').then((module) => module.openPglite())
}

/** The first 500 rows of a usage report, as the operator's API reads them. */
export async function readUsage(
  database: Database,
  query: usageModule.UsageQuery,
): Promise<unknown> {
  const { readUsagePage } = await load<typeof usageModule>('domain/usage/usage-report')
  return readUsagePage(database, query, { limit: 500, offset: 0 })
}

function load<Module>(file: string): Promise<Module> {
  return import(
    pathToFileURL(join(root, 'packages/service/dist', `${file}.js`)).href
  ) as Promise<Module>
}

type Wealthy = {
  readonly pick: () => string
  readonly id: () => string
  readonly ledger: Ledger
}

/** Wallets with more than they can spend. `pick` chooses one by chance. */
export async function fundWallets(
  database: Database,
  count: number,
  toName = (index: number): string => `wallet-${index}`,
): Promise<Wealthy> {
  const [{ migrate }, { createLedger }] = await Promise.all([
    load<typeof migrateModule>('platform/database/migrate'),
    load<typeof ledgerModule>('domain/ledger/ledger'),
  ])
  await migrate(database)
  let serial = 0
  const id = (): string => `${process.pid}-${Date.now()}-${++serial}`
  const ledger = createLedger(database, { now: Date.now, id })
  const payment = { network: 'n', asset: 'a', amount: 10n ** 12n, settledBy: 't', transaction: '' }
  for (let index = 0; index < count; index++)
    await ledger.creditPayment({ ...payment, id: id(), payer: toName(index), nonce: id() })
  return { pick: () => toName(Math.floor(Math.random() * count)), id, ledger }
}

/** API keys of as many accounts, each with more than it can spend. */
export async function fundKeys(
  database: Database,
  count: number,
  pepper: string,
): Promise<readonly string[]> {
  const { ledger } = await fundWallets(database, 0)
  const { createApiKeys } = await load<typeof keysModule>('domain/accounts/api-keys')
  const keys = createApiKeys(database, { now: Date.now, pepper })
  const secrets: string[] = []
  for (let index = 0; index < count; index++) {
    const account = `key:bench-${index}`
    await ledger.grant(account, 10n ** 12n)
    const made = await keys.create({ account, type: 'INFERENCE', description: 'bench' })
    if (made.status !== 'created') throw new Error(`A key was not made: ${made.status}`)
    secrets.push(made.secret)
  }
  return secrets
}

/**
 * The statements of the ledger for one charge, with marks for what differs: the account, and `@`
 * where a value must be unique.
 */
export async function recordStatements(database: Database): Promise<readonly SqlStatement[]> {
  const { createLedger } = await load<typeof ledgerModule>('domain/ledger/ledger')
  const sent: SqlStatement[] = []
  const query: Database['query'] = (sql, params = []) => {
    sent.push({ sql, params })
    return database.query(sql, params)
  }
  let serial = 0
  await chargeOnce(
    createLedger({ ...database, query }, { now: Date.now, id: () => `@${++serial}` }),
    'wallet-0',
  )
  return sent
}

/** Puts an account and a unique text in place of the marks. */
export function fillMarks(value: string, account: string, unique: string): string {
  return value.replaceAll('wallet-0', account).replaceAll('@', `${unique}-`)
}
