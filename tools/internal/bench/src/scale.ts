import { expected, type Arguments } from '@farebox/command-line'
import { cpus } from 'node:os'
import { startPostgres } from '@farebox/testing/postgres'
import { showTable } from './measure.js'
import { openPostgres, wealthyKeys } from './service/internals.js'
import { load, served, type Load, type Sent, createWallets } from './service/load.js'

export async function scale(given: Arguments): Promise<void> {
  const processes = parseCounts(given, '1,2')
  const requests = given.integer('requests', 100, 1_000_000) ?? 2_000
  await scaleBenchmark({ processes, requests, save: given.has('save') })
}

/** The value of `--processes`. */
export function parseCounts(given: Arguments, fallback: string): readonly number[] {
  const text = given.text('processes') ?? fallback
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
async function scaleBenchmark({ processes, requests, save }: ScaleOptions): Promise<void> {
  const postgres = await startPostgres()
  const database = await openPostgres(postgres.url)
  const keys = await wealthyKeys(database, callers, 'bench')
  const wallets = createWallets(callers)
  const table: Record<string, object> = {}
  const latencies: Record<string, object> = {}
  for (const count of processes) {
    const running = await Promise.all(
      Array.from({ length: count }, () =>
        served('shared', undefined, { BENCH_DATABASE_URL: postgres.url }),
      ),
    )
    const measure = async (sent: readonly Sent[]) =>
      loadAll(
        running.map(({ port }) => port),
        sent,
      )
    const as = (sentBy: (key: string) => Sent) =>
      Array.from({ length: requests }, (_, index) => sentBy(keys[index % callers] ?? ''))
    await measure(as((key) => speech(key, 'Warm.')).slice(0, 100))
    const found = {
      charges: await measure(as((key) => speech(key, 'The tram is late.'))),
      'sign-ins': await measure(
        await wallets.signed((address) => `/api/v1/x402/balance/${address}`, requests, Date.now()),
      ),
      parses: await measure(as(parse)),
      streams: await measure(as((key) => speech(key, streamed))),
    }
    running.forEach(({ stop }) => stop())
    const name = `farebox, ${count} ${count === 1 ? 'process' : 'processes'}`
    const row = (cell: (found: Load) => number, unit: string) =>
      Object.fromEntries(Object.entries(found).map(([what, one]) => [`${what}${unit}`, cell(one)]))
    table[name] = row(({ rate }) => Math.round(rate), '/s')
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

/** 400 characters of speech, as 40 parts of 4 KiB. */
const streamed = 'The tram. '.repeat(40)

function speech(key: string, input: string): Sent {
  return {
    path: '/api/v1/audio/speech',
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input, streaming: input.length > 100 }),
  }
}

function parse(key: string): Sent {
  const head =
    'Content-Disposition: form-data; name="file"; filename="fares.txt"\r\nContent-Type: text/plain'
  return {
    path: '/api/v1/augment/text-parser',
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=b' },
    body: `--b\r\n${head}\r\n\r\nZone A to C: 2.40\r\n--b--\r\n`,
  }
}

/** Each process gets its share of the requests, and of the connections. */
async function loadAll(ports: readonly number[], sent: readonly Sent[]): Promise<Load> {
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
