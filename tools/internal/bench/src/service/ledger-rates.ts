import pg from 'pg'
import { median } from '../rounds.js'
import {
  chargeOnce,
  filled,
  openPglite,
  openPostgres,
  recordStatements,
  wealthy,
} from './internals.js'
import { hasPgbench, pgbench } from './pgbench.js'
import { startPostgres } from '@farebox/testing/postgres'

export type PostgresOptions = {
  readonly wallets: number
  readonly rounds: number
  readonly milliseconds: number
  readonly connections: number
}

/** Per second. `faults` counts the differences that the final audit of the ledger finds. */
export type Rates = {
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
export async function ratesOnPostgres({
  wallets,
  rounds,
  milliseconds,
  connections,
}: PostgresOptions): Promise<Rates> {
  const server = await startPostgres()
  const database = await openPostgres(server.url, { connections })
  const { pick, id, ledger } = await wealthy(database, wallets)
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
        typeof value === 'string' ? filled(value, account, unique) : value,
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
    if (hasPgbench) rates.pgbench.push(await pgbench(tool))
  }
  const faults = (await ledger.audit()).length
  for (const client of clients) await client.end()
  await database.close()
  await server.stop()
  return {
    ledger: median(rates.ledger),
    crowd: median(rates.crowd),
    bare: median(rates.bare),
    pgbench: hasPgbench ? median(rates.pgbench) : undefined,
    faults,
  }
}

export async function rateOnPglite({
  wallets,
  milliseconds,
}: Pick<PostgresOptions, 'wallets' | 'milliseconds'>): Promise<number> {
  const database = await openPglite()
  const { pick, ledger } = await wealthy(database, wallets)
  const one = (): Promise<void> => chargeOnce(ledger, pick())
  // the first few hundred are compiled while they run
  for (let warm = 0; warm < 500; warm++) await one()
  const rate = await measureRate(one, 10, milliseconds)
  await database.close()
  return rate
}

/** The same for pgbench, which has numbers only. */
function toExpression(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'bigint') return 'null'
  return `(${filled(`'${value}'`, `wallet-' || :wallet || '`, `' || :id || '`)})`
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
