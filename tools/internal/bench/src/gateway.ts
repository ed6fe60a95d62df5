import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expected, type Arguments } from '@farebox/command-line'
import { findFreePort } from '@farebox/testing/start-listening'
import { startPostgres } from '@farebox/testing/postgres'
import { writeSettings } from './budgets/settings.js'
import { loadSteadily, readProcessorMs, type ChatTarget } from './gateway/steady-load.js'
import { root, showTable } from './measure.js'
import { installPeer } from './peer-versions.js'
import { openPostgres, fundKeys } from './service/internals.js'

const portkey = '@portkey-ai/gateway'

/** With the newest that its range allows, each of its streams is a 500. */
const portkeyServer = { '@hono/node-server': '1.12.0' }

const pepper = 'pepper-of-the-bench'

/** A gateway in a process of its own; without one, the upstream itself. */
type Party = ChatTarget & { readonly name: string; readonly pid?: number | undefined }

/** Chat calls to a mock upstream, straight and through gateways, at steady rates. */
export async function benchmarkGateway(args: Arguments): Promise<void> {
  const rates = parseRates(args.text('rates') ?? '100,300,1000')
  const seconds = args.integer('seconds', 1, 60) ?? 5
  const folder = mkdtempSync(join(tmpdir(), 'farebox-gateway-'))
  const postgres = await startPostgres()
  const database = await openPostgres(postgres.url, { connections: 2 })
  const children: ChildProcess[] = []
  const table: Record<string, object> = {}
  try {
    const keys = await fundKeys(database, 400, pepper)
    const upstream = await startPeer(children, 'upstream')
    const proxy = await startPeer(children, 'proxy', upstream.url)
    const priced = { bench: { input: 1, output: 1 }, free: { input: 0, output: 0 } }
    const flags = writeSettings(folder, { url: `${upstream.url}/v1` }, priced)
    const farebox = await startFarebox(children, postgres.url, flags)
    const other = await startPortkey(children)
    const chat = '/v1/chat/completions'
    const none = () => ({})
    const byKey = (index: number) => ({ authorization: `Bearer ${keys[index % keys.length]}` })
    const provider = {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${upstream.url}/v1`,
      authorization: 'Bearer none',
    }
    const own = { url: `${farebox.url}/api${chat}`, headers: byKey, pid: farebox.pid }
    const parties: readonly Party[] = [
      { name: 'no gateway', url: `${upstream.url}${chat}`, headers: none, model: 'bench' },
      {
        name: 'a bare Hono proxy',
        ...proxy,
        url: `${proxy.url}${chat}`,
        headers: none,
        model: 'bench',
      },
      {
        name: portkey,
        ...other,
        url: `${other.url}${chat}`,
        headers: () => provider,
        model: 'bench',
      },
      { name: 'Farebox, a free model', ...own, model: 'free' },
      { name: 'Farebox, charged', ...own, model: 'bench' },
    ]
    for (const stream of [false, true]) {
      for (const party of parties) await loadSteadily(party, { stream, rate: 100, seconds: 3 })
      for (const party of parties) {
        const row: Record<string, number> = {}
        const start = readProcessorMs(party.pid)
        let calls = 0
        for (const rate of rates) {
          const { p50, p99, rate: served } = await loadSteadily(party, { stream, rate, seconds })
          calls += served * seconds
          row[`${rate}/s: p50, ms`] = round(p50, 2)
          row[`${rate}/s: p99, ms`] = round(p99, 2)
          row[`${rate}/s: served/s`] = round(served, 0)
        }
        const used = (readProcessorMs(party.pid) - start) / calls
        if (Number.isFinite(used)) row['processor, ms a call'] = round(used, 2)
        table[`${party.name}, ${stream ? 'streamed' : 'not streamed'}`] = row
      }
    }
  } finally {
    for (const child of children) child.kill()
    await database.close()
    await postgres.stop()
    rmSync(folder, { recursive: true })
  }
  console.log(
    'Chat calls of 40 tokens to an upstream that responds at once, warmed up. A time counts from the moment at which a request was due to the end of its response. Each gateway has one process; Farebox counts on PostgreSQL, whose processor time is not in its row. Client, upstream, PostgreSQL and gateway share the machine. Targets: less processor time than Portkey while charging; p99 at most five times p50 below saturation.',
  )
  showTable(table, args.has('save') && 'gateway')
}

function parseRates(text: string): readonly number[] {
  const rates = text.split(',').map(Number)
  if (!rates.every((rate) => Number.isInteger(rate) && rate >= 1 && rate <= 10_000))
    throw expected('--rates', text, 'requests a second such as 100,300,1000')
  return rates
}

type PeerServer = { readonly url: string; readonly pid: number | undefined }

async function startPeer(
  children: ChildProcess[],
  ...args: readonly string[]
): Promise<PeerServer> {
  const child = fork(fileURLToPath(new URL('gateway/peer-process.js', import.meta.url)), args)
  children.push(child)
  const [{ url }] = (await once(child, 'message')) as [{ readonly url: string }]
  return { url, pid: child.pid }
}

async function startFarebox(
  children: ChildProcess[],
  databaseUrl: string,
  flags: readonly string[],
): Promise<PeerServer> {
  return start(children, join(root, 'packages/service/dist/bin.js'), {
    flags: (port) => ['--port', port, '--no-wallets', '--log-level', 'error', ...flags],
    environment: { FAREBOX_DATABASE_URL: databaseUrl, FAREBOX_KEY_PEPPER: pepper },
    readyPath: '/readyz',
  })
}

async function startPortkey(children: ChildProcess[]): Promise<PeerServer> {
  const folder = installPeer(portkey, [], portkeyServer)
  return start(children, join(folder, 'build/start-server.js'), {
    flags: (port) => [`--port=${port}`, '--headless'],
    environment: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
    readyPath: '/',
  })
}

type StartOptions = {
  readonly flags: (port: string) => readonly string[]
  readonly environment: NodeJS.ProcessEnv
  readonly readyPath: string
}

async function start(
  children: ChildProcess[],
  file: string,
  { flags, environment, readyPath }: StartOptions,
): Promise<PeerServer> {
  const port = String(await findFreePort())
  const child = spawn(process.execPath, [file, ...flags(port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...environment },
  })
  children.push(child)
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; attempt < 240; attempt++) {
    if (
      await fetch(url + readyPath).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { url, pid: child.pid }
    await sleep(250)
  }
  throw new Error(`${file} did not start within a minute.`)
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
