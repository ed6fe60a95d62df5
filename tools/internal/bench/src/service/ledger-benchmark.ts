import { keepTable, computeMedian } from '../measure.js'
import pg from 'pg'
import {
  chargeOnce,
  fillMarks,
  openPglite,
  openPostgres,
  recordStatements,
  fundWallets,
} from './internals.js'
import { startPostgres } from '@farebox/testing/postgres'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Holds with captures beside the bare statements of one, on PostgreSQL and on PGlite. */
export async function measureLedger(rounds: number, save: boolean): Promise<void> {
  const table: Record<string, object> = {}
  const parties: Record<string, object> = {}
  for (const wallets of [1, 1_000]) {
    const options = { wallets, rounds, milliseconds: 2_000, connections: 10 }
    const { ledger, crowd, bare, pgbench, faults } = await measureOnPostgres(options)
    const pglite = await measureOnPglite({ wallets, milliseconds: 3_000 })
    const of = `${wallets.toLocaleString('en')} wallet${wallets === 1 ? '' : 's'}`
    const rates = {
      Farebox: ledger,
      'bare statements': bare,
      ...(pgbench !== undefined && { pgbench }),
    }
    for (const [who, rate] of Object.entries(rates))
      parties[`${who}: ${of}`] = { 'charges/s': Math.round(rate) }
    table[of] = {
      'ledger, charges/s': Math.round(ledger),
      'of 100 callers': Math.round(crowd),
      'bare statements, prepared': Math.round(bare),
      'ledger / bare': (ledger / bare).toFixed(2),
      pgbench: pgbench === undefined ? 'not installed' : Math.round(pgbench),
      'ledger / pgbench': pgbench === undefined ? '' : (ledger / pgbench).toFixed(2),
      'differences in the audit': faults,
      'PGlite, charges/s': Math.round(pglite.rate),
      'PGlite, of 100 callers': Math.round(pglite.crowd),
    }
  }
  console.log(
    `Charges, each a hold and then its capture, on PostgreSQL over 10 connections by 10 callers, median of ${rounds} rounds that take turns. Targets: ledger / pgbench >= 0.70, and PGlite >= 2,000 of 100 callers. The bare statements and pgbench do one at a time; the ledger, those that come at once.`,
  )
  console.table(table)
  // a row for each party, as charts need it
  if (save) keepTable(parties, 'service-ledger')
}

type PostgresOptions = {
  readonly wallets: number
  readonly rounds: number
  readonly milliseconds: number
  readonly connections: number
}

/** Per second. `faults` counts the differences that the final audit of the ledger finds. */
type Rates = {
  readonly ledger: number
  /** The ledger with ten times as many callers. */
  readonly crowd: number
  readonly bare: number
  /** Where it is installed. */
  readonly pgbench: number | undefined
  readonly faults: number
}

/**
 * How often a second the ledger holds and captures on PostgreSQL, how often bare clients send the
 * statements that it sends for one, and how often pgbench does. They take turns, with as many
 * callers as connections.
 */
async function measureOnPostgres({
  wallets,
  rounds,
  milliseconds,
  connections,
}: PostgresOptions): Promise<Rates> {
  const server = await startPostgres()
  const database = await openPostgres(server.url, { connections })
  const { pick, id, ledger } = await fundWallets(database, wallets)
  const statements = await recordStatements(database)
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      return client
    }),
  )
  const byLedger = (): Promise<void> => chargeOnce(ledger, pick())
  const byClient = async (worker: number): Promise<void> => {
    const [account, unique] = [pick(), id()]
    for (const [name, { sql, params }] of statements.entries()) {
      const values = params.map((value) =>
        typeof value === 'string' ? fillMarks(value, account, unique) : value,
      )
      const result = await clients[worker]?.query({ name: String(name), text: sql, values })
      if (result?.rows.length !== 1) throw new Error('A statement of the bare clients did nothing')
    }
  }
  const tool = {
    url: server.url,
    statements: statements.map(({ sql, params }) => ({
      sql,
      expressions: params.map(toExpression),
    })),
    wallets,
    connections,
    seconds: Math.round(milliseconds / 1000),
  }
  const rates = {
    ledger: [] as number[],
    crowd: [] as number[],
    bare: [] as number[],
    pgbench: [] as number[],
  }
  for (let round = 0; round < rounds; round++) {
    rates.bare.push(await measureRate(byClient, connections, milliseconds))
    rates.ledger.push(await measureRate(byLedger, connections, milliseconds))
    rates.crowd.push(await measureRate(byLedger, 10 * connections, milliseconds))
    if (hasPgbench) rates.pgbench.push(await runPgbench(tool))
  }
  const faults = (await ledger.audit()).length
  for (const client of clients) await client.end()
  await database.close()
  await server.stop()
  return {
    ledger: computeMedian(rates.ledger),
    crowd: computeMedian(rates.crowd),
    bare: computeMedian(rates.bare),
    pgbench: hasPgbench ? computeMedian(rates.pgbench) : undefined,
    faults,
  }
}

async function measureOnPglite({
  wallets,
  milliseconds,
}: Pick<PostgresOptions, 'wallets' | 'milliseconds'>) {
  const database = await openPglite()
  const { pick, ledger } = await fundWallets(database, wallets)
  const one = (): Promise<void> => chargeOnce(ledger, pick())
  // the first few hundred are compiled while they run
  for (let warm = 0; warm < 500; warm++) await one()
  const rate = await measureRate(one, 10, milliseconds)
  const crowd = await measureRate(one, 100, milliseconds)
  await database.close()
  return { rate, crowd }
}

/** The same for pgbench, which has numbers only. */
function toExpression(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'bigint') return 'null'
  return `(${fillMarks(`'${value}'`, `wallet-' || :wallet || '`, `' || :id || '`)})`
}

async function measureRate(
  one: (worker: number) => Promise<void>,
  workers: number,
  milliseconds: number,
): Promise<number> {
  let done = 0
  const start = performance.now()
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      for (; performance.now() - start < milliseconds; done++) await one(worker)
    }),
  )
  return done / ((performance.now() - start) / 1000)
}

/** Whether PostgreSQL's own load generator is on the PATH. npm has none. */
const hasPgbench = spawnSync('pgbench', ['--version']).status === 0

type PgbenchStatement = {
  readonly sql: string
  /** The values of $1, $2, …; they may use :wallet (below `wallets`) and a random :id. */
  readonly expressions: readonly string[]
}

type PgbenchOptions = {
  readonly url: string
  readonly statements: readonly PgbenchStatement[]
  readonly wallets: number
  readonly connections: number
  readonly seconds: number
}

/** How often a second pgbench sends the statements, one after the other and prepared. */
async function runPgbench({
  url,
  statements,
  wallets,
  connections,
  seconds,
}: PgbenchOptions): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-pgbench-'))
  const script = join(folder, 'script.sql')
  const lines = statements.map(({ sql, expressions }) => {
    const filled = sql.replace(
      /\$(\d+)/g,
      (_whole, number: string) => expressions[Number(number) - 1] ?? 'null',
    )
    return `${filled.replace(/\s*\n\s*/g, ' ')};\n`
  })
  writeFileSync(
    script,
    `\\set wallet random(0, ${wallets - 1})\n\\set id random(1, 9000000000000000000)\n${lines.join('')}`,
  )
  const args = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(connections),
    '-j',
    '1',
    '-T',
    String(seconds),
    '-f',
    script,
    url,
  ]
  const { stdout } = await promisify(execFile)('pgbench', args)
  rmSync(folder, { recursive: true })
  const [, rate] = /tps = ([\d.]+)/.exec(stdout) ?? []
  if (rate === undefined || /failed transactions: [1-9]/.test(stdout))
    throw new Error(`pgbench:\n${stdout}`)
  return Number(rate)
}
