import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { hasPgbench, pgbench } from './pgbench.mjs'
import { startPostgres } from './postgres.mjs'

const service = new URL('../../../packages/service/', import.meta.url)
const load = (/** @type {string} */ file) => import(new URL(`dist/${file}.js`, service).href)
const { default: pg } = await import(pathToFileURL(createRequire(new URL('package.json', service)).resolve('pg')).href)

/**
 * Charges a second on PostgreSQL, through the ledger, as the statement for one charge under bare clients, and under pgbench where that is
 * installed; they take turns. Each has as many callers as connections; "crowd" is the ledger with ten times as many.
 * @param {{ readonly wallets: number, readonly rounds: number, readonly milliseconds: number, readonly connections: number }} options
 */
export async function chargesOnPostgres({ wallets, rounds, milliseconds, connections }) {
  const server = await startPostgres()
  const [{ openPostgres }, { createLedger }] = await Promise.all([load('database/postgres'), load('ledger/ledger')])
  const database = await openPostgres(server.url, { connections })
  const { names, id, ledger } = await wealthy(database, wallets)
  const { sql, params } = await statementOf(createLedger, database, id)
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      return client
    }),
  )
  const pick = () => names[Math.floor(Math.random() * names.length)]
  const values = () => params.map((value, index) => (index === 0 ? pick() : index === 6 ? id() : value))
  const ways = {
    ledger: () => ledger.charge({ account: pick(), amount: 1n, requestId: 'r', modelId: null }),
    bare: (/** @type {number} */ worker) => clients[worker].query({ name: 'charge', text: sql, values: values() }),
  }
  // wallets by number, and all else as the ledger sends it
  const texts = params.map((value) => (typeof value === 'string' || typeof value === 'bigint' ? `'${value}'` : 'null'))
  const expressions = texts.map((text, index) => (index === 0 ? `('wallet-' || :wallet)` : index === 6 ? `('b' || :id)` : text))
  const tool = { url: server.url, sql, expressions, wallets, connections, seconds: Math.round(milliseconds / 1000) }
  const rates = {
    ledger: /** @type {number[]} */ ([]),
    crowd: /** @type {number[]} */ ([]),
    bare: /** @type {number[]} */ ([]),
    pgbench: /** @type {number[]} */ ([]),
  }
  for (let round = 0; round < rounds; round++) {
    for (const way of /** @type {const} */ (['bare', 'ledger'])) rates[way].push(await rateOf(ways[way], connections, milliseconds))
    rates.crowd.push(await rateOf(ways.ledger, 10 * connections, milliseconds))
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

/**
 * @param {{ readonly wallets: number, readonly milliseconds: number }} options
 */
export async function chargesOnPglite({ wallets, milliseconds }) {
  const { openPglite } = await load('database/pglite')
  const database = await openPglite()
  const { names, ledger } = await wealthy(database, wallets)
  const charge = () =>
    ledger.charge({ account: names[Math.floor(Math.random() * names.length)], amount: 1n, requestId: 'r', modelId: null })
  // the first few hundred are compiled while they run
  for (let warm = 0; warm < 500; warm++) await charge()
  const rate = await rateOf(charge, 10, milliseconds)
  await database.close()
  return rate
}

/** Wallets with more than they can spend. */
async function wealthy(/** @type {*} */ database, /** @type {number} */ count) {
  const [{ migrate }, { createLedger }] = await Promise.all([load('database/migrate'), load('ledger/ledger')])
  await migrate(database)
  let serial = 0
  const id = () => `${process.pid}-${Date.now()}-${++serial}`
  const ledger = createLedger(database, { now: Date.now, id })
  const names = Array.from({ length: count }, (_, index) => `wallet-${index}`)
  const payment = { network: 'n', asset: 'a', amount: 10n ** 12n, settledBy: 't', transaction: '' }
  for (const payer of names) await ledger.creditPayment({ ...payment, id: id(), payer, nonce: id() })
  return { names, id, ledger }
}

/** What the ledger sends when it charges. */
async function statementOf(/** @type {*} */ createLedger, /** @type {*} */ database, /** @type {() => string} */ id) {
  let sent = { sql: '', params: /** @type {unknown[]} */ ([]) }
  const query = async (/** @type {string} */ sql, /** @type {unknown[]} */ params) => {
    sent = { sql, params }
    return [{ balance: 1n }]
  }
  await createLedger({ ...database, query }, { now: Date.now, id }).charge({ account: 'a', amount: 1n, requestId: 'r', modelId: null })
  return sent
}

async function rateOf(
  /** @type {(worker: number) => Promise<unknown>} */ one,
  /** @type {number} */ workers,
  /** @type {number} */ milliseconds,
) {
  let done = 0
  const start = performance.now()
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      for (; performance.now() - start < milliseconds; done++) await one(worker)
    }),
  )
  return done / ((performance.now() - start) / 1000)
}

export function median(/** @type {number[]} */ numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN
}
