import { expected, type Arguments } from '@farebox/command-line'
import type { Database } from '@farebox/service'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@farebox/testing/postgres'
import { readProcessorMs } from './gateway/steady-load.js'
import { showTable } from './measure.js'
import { openPostgres, fundWallets, fundKeys } from './service/internals.js'
import {
  createWallets,
  load,
  serveCheckout,
  type Load,
  type LoadRequest,
  type ServedProcess,
} from './service/load.js'

export async function benchmarkScale(args: Arguments): Promise<void> {
  const processes = parseCounts(args, '1,2')
  const requests = args.integer('requests', 100, 1_000_000) ?? 2_000
  await measureScale({ processes, requests, save: args.has('save') })
}

/** The value of `--processes`. */
export function parseCounts(args: Arguments, fallback: string): readonly number[] {
  const text = args.text('processes') ?? fallback
  const counts = text.split(',').map(Number)
  if (!counts.every((count) => Number.isInteger(count) && count >= 1 && count <= 64))
    throw expected('--processes', text, 'counts of processes such as 1,2,4')
  return counts
}

type ScaleOptions = {
  /** How many processes, one measurement after the other. */
  readonly processes: readonly number[]
  /** Of each kind of work, in each measurement. */
  readonly requests: number
  readonly save: boolean
}

/** Of each kind of caller, so that none reaches a rate limit. */
const callers = 400
const connections = 64

/** What some processes on one PostgreSQL do a second, for each kind of work. */
async function measureScale({ processes, requests, save }: ScaleOptions): Promise<void> {
  const postgres = await startPostgres()
  const database = await openPostgres(postgres.url)
  const keys = await fundKeys(database, callers, 'bench')
  const wallets = createWallets(callers)
  await fundWallets(database, callers, (index) => wallets.addresses[index] ?? '')
  const byKey = (sentBy: (key: string) => LoadRequest) =>
    Array.from({ length: requests }, (_, index) => sentBy(keys[index % callers] ?? ''))
  const byWallet = (sentBy: (address: string) => LoadRequest) =>
    wallets.signed(sentBy, requests, Date.now())
  const table: Record<string, object> = {}
  const latencies: Record<string, object> = {}
  for (const count of processes) {
    const running = await Promise.all(
      Array.from({ length: count }, () =>
        serveCheckout('shared', undefined, { BENCH_DATABASE_URL: postgres.url }),
      ),
    )
    const measure = async (sent: readonly LoadRequest[]) =>
      loadAll(
        running.map(({ port }) => port),
        sent,
      )
    const charge = createSpeechCall('The tram is late.')
    await measure(byKey((key) => withKey(key, charge)).slice(0, 100))
    const [ofKeys, keyCosts] = await withCosts(database, running, async () =>
      measure(byKey((key) => withKey(key, charge))),
    )
    const signed = await byWallet(() => charge)
    const [ofWallets, walletCosts] = await withCosts(database, running, () => measure(signed))
    const [port = 0] = running.map((one) => one.port)
    const [, aloneCosts] = await withCosts(database, running, () =>
      load(port, (index) => withKey(keys[index] ?? '', charge), { count: 100, connections: 1 }),
    )
    const found = {
      charges: ofKeys,
      'charges of wallets': ofWallets,
      'sign-ins': await measure(
        await byWallet((address) => ({ path: `/api/v1/x402/balance/${address}` })),
      ),
      parses: await measure(byKey((key) => withKey(key, parse))),
      streams: await measure(byKey((key) => withKey(key, createSpeechCall(streamed)))),
    }
    running.forEach(({ stop }) => stop())
    const name = `farebox, ${count} ${count === 1 ? 'process' : 'processes'}`
    const row = (cell: (found: Load) => number, unit: string) =>
      Object.fromEntries(Object.entries(found).map(([what, one]) => [`${what}${unit}`, cell(one)]))
    table[name] = {
      ...row(({ rate }) => Math.round(rate), '/s'),
      ...toColumns('a charge', keyCosts, requests),
      ...toColumns('a charge of a wallet', walletCosts, requests),
      'a charge alone: statements': Math.round(aloneCosts.statements) / 100,
    }
    latencies[name] = {
      ...row(({ p50 }) => Math.round(p50), ', p50 ms'),
      ...row(({ p99 }) => Math.round(p99), ', p99 ms'),
    }
  }
  await database.close()
  await postgres.stop()
  console.log(
    `${requests} requests of each kind by ${callers} callers over ${connections} connections. The services, PostgreSQL and the clients share the ${cpus().length} processors of this machine.`,
  )
  console.table(latencies)
  showTable(table, save && 'scale')
}

/** Milliseconds of processor time, and statements. */
type Costs = Readonly<Record<'service, ms' | 'database, ms' | 'client, ms' | 'statements', number>>

/** The result of some work, and what it cost each part. */
async function withCosts<Result>(
  database: Database,
  services: readonly ServedProcess[],
  work: () => Promise<Result>,
): Promise<readonly [Result, Costs]> {
  const before = await readUsage(database, services)
  const statements = await countStatements(database)
  const result = await work()
  const after = await readUsage(database, services)
  const costs = Object.entries(after).map(([part, ms]) => [part, ms - (before[part] ?? 0)])
  // an idle connection reports its statements after 10 s
  await sleep(11_000)
  const run = (await countStatements(database)) - statements
  return [result, { ...(Object.fromEntries(costs) as Omit<Costs, 'statements'>), statements: run }]
}

/** Processor time of each part so far, in milliseconds. */
async function readUsage(
  database: Database,
  services: readonly ServedProcess[],
): Promise<Readonly<Record<string, number>>> {
  const client = readOwnProcessorMs()
  const connections = await database.query<{ pid: number }>('select pid from pg_stat_activity')
  const ofDatabase = connections.map(({ pid }) => readProcessorMs(pid))
  const ofServices = await Promise.all(services.map(async ({ usage }) => (await usage()).cpu))
  const sum = (parts: readonly number[]) => parts.reduce((all, ms) => all + ms, 0)
  return { 'service, ms': sum(ofServices), 'database, ms': sum(ofDatabase), 'client, ms': client }
}

async function countStatements(database: Database): Promise<number> {
  const [row] = await database.query<{ count: bigint }>(
    'select xact_commit as count from pg_stat_database where datname = current_database()',
  )
  return Number(row?.count)
}

function readOwnProcessorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function toColumns(name: string, costs: Costs, requests: number) {
  return Object.fromEntries(
    Object.entries(costs).map(([part, value]) => [
      `${name}: ${part}`,
      Math.round((value / requests) * 100) / 100,
    ]),
  )
}

/** 400 characters of speech, as 40 parts of 4 KiB. */
const streamed = 'The tram. '.repeat(40)

function createSpeechCall(input: string): LoadRequest {
  return {
    path: '/api/v1/audio/speech',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input, streaming: input.length > 100 }),
  }
}

const parse: LoadRequest = {
  path: '/api/v1/augment/text-parser',
  method: 'POST',
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: `--b\r\nContent-Disposition: form-data; name="file"; filename="fares.txt"\r\nContent-Type: text/plain\r\n\r\nZone A to C: 2.40\r\n--b--\r\n`,
}

function withKey(key: string, { headers, ...sent }: LoadRequest): LoadRequest {
  return { ...sent, headers: { ...headers, authorization: `Bearer ${key}` } }
}

/** Each process gets its share of the requests, and of the connections. */
async function loadAll(ports: readonly number[], sent: readonly LoadRequest[]): Promise<Load> {
  const share = Math.floor(sent.length / ports.length)
  const loads = await Promise.all(
    ports.map((port, place) => {
      const own = sent.slice(place * share, (place + 1) * share)
      return load(port, (index) => own[index] ?? own[0] ?? { path: '/' }, {
        count: own.length,
        connections: Math.ceil(connections / ports.length),
      })
    }),
  )
  const most = (what: 'p50' | 'p99') => Math.max(...loads.map((one) => one[what]))
  return {
    rate: loads.reduce((sum, { rate }) => sum + rate, 0),
    p50: most('p50'),
    p99: most('p99'),
  }
}
