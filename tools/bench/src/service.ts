// the service: how it starts, requests beside a bare Hono server, memory over 100,000 of them, charges and sales beside the bare statements
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, rateOnPglite, ratesOnPostgres } from './lib/ledger-rates.mjs'
import { load, served } from './lib/load.mjs'

const requests = Number(process.argv[2] ?? 100_000)
const rounds = 5

await start()
await serve()
await sell('charge', 'charges')
await sell('sale', 'sales')

async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
  const times = { fresh: /** @type {Start[]} */ ([]), existing: /** @type {Start[]} */ ([]) }
  const alone = /** @type {number[]} */ ([])
  for (let round = 0; round < rounds; round++) {
    times.fresh.push(await started(join(folder, String(round))))
    times.existing.push(await started(join(folder, String(round))))
    const begin = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    alone.push(performance.now() - begin)
  }
  rmSync(folder, { recursive: true })
  const row = (/** @type {Start[]} */ all) => ({
    'listening, ms': Math.round(median(all.map(({ listening }) => listening))),
    'first answer, ms': Math.round(median(all.map(({ answered }) => answered))),
  })
  const node = Math.round(median(alone))
  console.log(
    `Start of farebox-service, median of ${rounds}, beside node alone with ${node} ms (about 40 on a machine with nothing else to do).`,
  )
  console.log('Targets: new folder under 2,000 ms, first answer on an existing one under 3,000.')
  console.table({ 'new folder': row(times.fresh), 'existing folder': row(times.existing) })
}

/** @typedef {{ readonly listening: number, readonly answered: number }} Start */

/** @returns {Promise<Start>} */
async function started(/** @type {string} */ data) {
  const begin = performance.now()
  const command = fileURLToPath(new URL('../../packages/service/dist/cli.js', import.meta.url))
  const env = { ...process.env, FAREBOX_ADMIN_KEY: 'k', FAREBOX_LOG_LEVEL: 'error' }
  const child = spawn(process.execPath, [command, '--port', '0', '--data', data], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const origin = await new Promise((resolve) => {
    child.stdout.once('data', (chunk) => resolve(/listening on (\S+)/.exec(String(chunk))?.[1]))
  })
  const listening = performance.now() - begin
  await (await fetch(`${origin}/api/v1/models`, { headers: { authorization: 'Bearer k' } })).arrayBuffer()
  const answered = performance.now() - begin
  child.kill()
  await new Promise((resolve) => child.once('exit', resolve))
  return { listening, answered }
}

async function serve() {
  const table = {}
  const [bare, service] = [await served('bare'), await served('service')]
  const get = { path: '/api/v1/models/tts-gradium-v1' }
  const paid = { path: '/api/v1/audio/speech', method: 'POST', body: '{"input":"The tram is late."}' }
  for (const { port } of [bare, service]) await load(port, { ...get, count: Math.min(5_000, requests) })
  const before = await service.memory()
  const rates = { bare: /** @type {Load[]} */ ([]), service: /** @type {Load[]} */ ([]) }
  for (let round = 0; round < rounds; round++) {
    const count = Math.round(requests / rounds)
    rates.bare.push(await load(bare.port, { ...get, count }))
    rates.service.push(await load(service.port, { ...get, count }))
  }
  const after = await service.memory()
  const middle = (/** @type {Load[]} */ all, /** @type {keyof Load} */ what) => median(all.map((one) => one[what]))
  const row = (/** @type {Load[]} */ all) => ({
    'requests/s': Math.round(middle(all, 'rate')),
    'p50, ms': middle(all, 'p50').toFixed(2),
    'p99, ms': middle(all, 'p99').toFixed(2),
    'rate / bare': (middle(all, 'rate') / middle(rates.bare, 'rate')).toFixed(2),
  })
  const charged = await load(service.port, { ...paid, count: Math.max(200, Math.round(requests / 50)) })
  table['bare Hono, GET'] = row(rates.bare)
  table['service, GET /models/{id}'] = row(rates.service)
  table['service, POST /audio/speech, charged on PGlite'] = row([charged])
  bare.stop()
  service.stop()
  const mb = (/** @type {number} */ bytes) => `${(bytes / 1_048_576).toFixed(1)} MB`
  console.log(`${requests} requests each to the first two, over 32 connections, one client process; servers take turns.`)
  console.table(table)
  console.log(
    `Memory of the service before and after them: heap ${mb(before.heap)} and ${mb(after.heap)}, resident ${mb(before.rss)} and ${mb(after.rss)}.`,
  )
}

/** @typedef {{ readonly rate: number, readonly p50: number, readonly p99: number }} Load */

async function sell(/** @type {import('./lib/ledger-rates.mjs').Work} */ work, /** @type {string} */ name) {
  const table = {}
  for (const wallets of [1, 1_000]) {
    const options = { work, wallets, rounds, milliseconds: 2_000, connections: 10 }
    const { ledger, crowd, bare, pgbench, faults } = await ratesOnPostgres(options)
    const pglite = await rateOnPglite({ work, wallets, milliseconds: 3_000 })
    table[`${wallets} wallet${wallets === 1 ? '' : 's'}`] = {
      [`ledger, ${name}/s`]: Math.round(ledger),
      'of 100 callers': Math.round(crowd),
      'bare statements, prepared': Math.round(bare),
      'ledger / bare': (ledger / bare).toFixed(2),
      pgbench: pgbench === undefined ? 'not installed' : Math.round(pgbench),
      'ledger / pgbench': pgbench === undefined ? '' : (ledger / pgbench).toFixed(2),
      'differences in the audit': faults,
      [`PGlite, ${name}/s`]: Math.round(pglite),
    }
  }
  const what = work === 'sale' ? 'Sales, each a hold and then its capture,' : 'Charges'
  console.log(
    `${what} on PostgreSQL over 10 connections by 10 callers, median of ${rounds} rounds that take turns. Target: ledger / pgbench >= 0.70. The bare statements and pgbench do one at a time; the ledger, those that come at once.`,
  )
  console.table(table)
}
