import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installPackages } from '@farebox/testing/install-package'
import { findFreePort } from '@farebox/testing/start-listening'

/** Two servers of PostgreSQL, one of them a synchronous standby, which Patroni manages. */
export type PatroniCluster = {
  /** Both hosts. */
  readonly url: string
  /** Kills the primary and its Patroni, as the loss of their machine does. Returns what starts it again. */
  readonly losePrimary: () => Promise<() => void>
  /** Resolves once one takes writes, and the other confirms them. */
  readonly complete: () => Promise<void>
  readonly stop: () => Promise<void>
}

type Node = {
  readonly port: number
  readonly api: string
  readonly data: string
  readonly start: () => void
  process: ChildProcess | undefined
}

const address = '127.0.0.1'
/** The servers refuse to be root. */
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

export async function startPatroni(): Promise<PatroniCluster> {
  await installPackages(
    ['patroni', 'etcd', 'pg_basebackup'],
    ['patroni', 'etcd-server', 'postgresql'],
  )
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'farebox-patroni-')))
  const etcd = await startEtcd(makeFolder(join(folder, 'etcd')))
  const nodes = await Promise.all(
    ['one', 'two'].map((name) => makeNode(name, makeFolder(join(folder, name)), etcd.client)),
  )
  for (const { start } of nodes) start()
  const complete = async () => {
    while (!(await isComplete(nodes))) await sleep(100)
  }
  await complete()
  return {
    url: `postgres://postgres@${nodes.map(({ port }) => `${address}:${port}`).join()}/postgres`,
    complete,
    losePrimary: async () => {
      const states = await Promise.all(nodes.map(readState))
      const primary = nodes[states.findIndex((state) => state && primaryRoles.has(state.role))]
      if (!primary) throw new Error(`There is no primary: ${JSON.stringify(states)}`)
      await kill(primary)
      return primary.start
    },
    stop: async () => {
      await Promise.all(nodes.map(kill))
      etcd.process.kill('SIGKILL')
      await once(etcd.process, 'exit')
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

function makeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid)
  return folder
}

/** Where the nodes agree on which of them is the primary. */
async function startEtcd(data: string) {
  const [client, peer] = [await findFreePort(), await findFreePort()].map(
    (port) => `http://${address}:${port}`,
  )
  const options = {
    'data-dir': data,
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
  }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const process = spawn('etcd', args, { stdio: 'ignore', ...owner })
  return { client: client?.replace('http://', ''), process }
}

async function makeNode(name: string, folder: string, etcd: string | undefined): Promise<Node> {
  const [port, apiPort] = [await findFreePort(), await findFreePort()]
  const data = join(folder, 'data')
  const trusted = `host all all ${address}/32 trust`
  const settings = {
    scope: 'farebox',
    name,
    restapi: { listen: `${address}:${apiPort}`, connect_address: `${address}:${apiPort}` },
    etcd3: { host: etcd },
    bootstrap: {
      // a lost primary is replaced after at most the ttl, whose least is 20
      dcs: { ttl: 20, loop_wait: 1, retry_timeout: 3, synchronous_mode: true },
      initdb: [{ encoding: 'UTF8' }, 'data-checksums', 'no-sync'],
    },
    postgresql: {
      listen: `${address}:${port}`,
      connect_address: `${address}:${port}`,
      data_dir: data,
      bin_dir: findPrograms(),
      use_pg_rewind: true,
      pgpass: join(folder, 'pgpass'),
      pg_hba: [trusted, trusted.replace('all', 'replication')],
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'postgres' },
      },
      parameters: { fsync: 'off', unix_socket_directories: folder },
    },
  }
  // JSON is YAML
  const file = join(folder, 'patroni.yml')
  writeFileSync(file, JSON.stringify(settings))
  const node: Node = {
    port,
    api: `http://${address}:${apiPort}`,
    data,
    process: undefined,
    start: () => {
      node.process = spawn('patroni', [file], { stdio: 'ignore', cwd: folder, ...owner })
    },
  }
  return node
}

/** Debian has a folder for each version. */
function findPrograms(): string {
  const versions = '/usr/lib/postgresql'
  const [newest = ''] = readdirSync(versions).sort((one, other) => Number(other) - Number(one))
  return join(versions, newest, 'bin')
}

type State = {
  readonly state: string
  readonly role: string
  readonly replication?: readonly { readonly sync_state: string }[]
}

/** Before Patroni 4, and since. */
const primaryRoles: ReadonlySet<string> = new Set(['master', 'primary'])

async function readState({ api }: Node): Promise<State | undefined> {
  const response = await fetch(`${api}/patroni`).catch(() => undefined)
  return response && ((await response.json()) as State)
}

async function isComplete(nodes: readonly Node[]): Promise<boolean> {
  const states = await Promise.all(nodes.map(readState))
  return states.some((state) => state?.replication?.some((one) => one.sync_state === 'sync'))
}

/** First what would start the server again. */
async function kill({ process: patroni, data }: Node): Promise<void> {
  if (patroni && patroni.exitCode === null && patroni.signalCode === null) {
    patroni.kill('SIGKILL')
    await once(patroni, 'exit')
  }
  try {
    const [server = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(server), 'SIGKILL')
  } catch {
    // it does not run
  }
}
