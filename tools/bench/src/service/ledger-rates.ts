import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { hasPgbench, pgbench } from './pgbench.mjs'
import { startPostgres } from './postgres.mjs'

const service = new URL('../../../packages/service/', import.meta.url)
const load = (/** @type {string} */ file) => import(new URL(`dist/${file}.js`, service).href)
const { default: pg } = await import(pathToFileURL(createRequire(new URL('package.json', service)).resolve('pg')).href)

/** What is measured: a charge, and what a request does, which holds its price and captures it. */
const works = {
  charge: (/** @type {*} */ ledger, /** @type {string} */ account) => ledger.charge(purchaseOf(account)),
  sale: async (/** @type {*} */ ledger, /** @type {string} */ account) => {
    const held = await ledger.hold(purchaseOf(account), 60_000)
    const { status } = await ledger.capture(held.id, 1n, 'm')
    if (status !== 'captured') throw new Error(`A hold that was just made is ${status}`)
  },
}

/** @typedef {keyof typeof works} Work */

/**
 * How often a second the ledger does it on PostgreSQL, how often bare clients send the statements that it sends for one, and how often pgbench does,
 * where that is installed; they take turns. Each has as many callers as connections; "crowd" is the ledger with ten times as many.
 * @param {{ readonly work: Work, readonly wallets: number, readonly rounds: number, readonly milliseconds: number, readonly connections: number }} options
 */
export async function ratesOnPostgres({ work, wallets, rounds, milliseconds, connections }) {
  const server = await startPostgres()
  const { openPostgres } = await load('database/postgres')
  const database = await openPostgres(server.url, { connections })
  const { names, id, ledger } = await wealthy(database, wallets)
  const statements = await statementsOf(work, database)
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      return client
    }),
  )
  const pick = () => names[Math.floor(Math.random() * names.length)]
  const ways = {
    ledger: () => works[work](ledger, pick()),
    bare: async (/** @type {number} */ worker) => {
      const [account, unique] = [pick(), id()]
      for (const [name, { sql, params }] of statements.entries()) {
        const values = params.map((value) => (typeof value === 'string' ? filled(value, account, unique) : value))
        const { rows } = await clients[worker].query({ name: String(name), text: sql, values })
        if (rows.length !== 1) throw new Error('A statement of the bare clients did nothing')
      }
    },
  }
  const tool = {
    url: server.url,
    statements: statements.map(({ sql, params }) => ({ sql, expressions: params.map(expressionOf) })),
    wallets,
    connections,
    seconds: Math.round(milliseconds / 1000),
  }
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
 * @param {{ readonly work: Work, readonly wallets: number, readonly milliseconds: number }} options
 */
export async function rateOnPglite({ work, wallets, milliseconds }) {
  const { openPglite } = await load('database/pglite')
  const database = await openPglite()
  const { names, ledger } = await wealthy(database, wallets)
  const one = () => works[work](ledger, names[Math.floor(Math.random() * names.length)])
  // the first few hundred are compiled while they run
  for (let warm = 0; warm < 500; warm++) await one()
  const rate = await rateOf(one, 10, milliseconds)
  await database.close()
  return rate
}

function purchaseOf(/** @type {string} */ account) {
  return { account, amount: 1n, requestId: 'r', modelId: 'm' }
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

/**
 * What the ledger sends for one, with marks for what differs from one to the next: the account, and `@` in what must be unique.
 * @returns {Promise<readonly { readonly sql: string, readonly params: readonly unknown[] }[]>}
 */
async function statementsOf(/** @type {Work} */ work, /** @type {*} */ database) {
  const { createLedger } = await load('ledger/ledger')
  const sent = /** @type {{ sql: string, params: unknown[] }[]} */ ([])
  const query = (/** @type {string} */ sql, /** @type {unknown[]} */ params) => {
    sent.push({ sql, params })
    return database.query(sql, params)
  }
  let serial = 0
  await works[work](createLedger({ ...database, query }, { now: Date.now, id: () => `@${++serial}` }), 'wallet-0')
  return sent
}

function filled(/** @type {string} */ value, /** @type {string} */ account, /** @type {string} */ unique) {
  return value.replaceAll('wallet-0', account).replaceAll('@', `${unique}-`)
}

/** The same for pgbench, which has numbers only. */
function expressionOf(/** @type {unknown} */ value) {
  if (typeof value !== 'string' && typeof value !== 'bigint') return 'null'
  return `(${filled(`'${value}'`, `wallet-' || :wallet || '`, `' || :id || '`)})`
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
