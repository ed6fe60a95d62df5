import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { once } from 'node:events'
import pg from 'pg'
import { type Cluster, type ClusterOptions, createCluster, toUrl } from './cluster.js'
import { findFreePort } from '../start-listening.js'

export type TestPostgres = {
  /** A database of its own, empty. */
  readonly url: string
  /** Only for a server of our own. */
  readonly crash?: OwnPostgres['crash']
  readonly stop: () => Promise<void>
}

/** The data and the server of this process, and how many tests use the server. */
let cluster: Cluster | undefined
let server: Promise<OwnPostgres> | undefined
let users = 0

/**
 * A database of its own in the server of TEST_DATABASE_URL if that is given, else in a real server
 * from npm, which the test files of a worker share.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env['TEST_DATABASE_URL']
  if (given !== undefined) return createDatabase(given)
  users++
  const { url, crash, stop } = await (server ??= startServer((cluster ??= createSharedCluster())))
  const database = await createDatabase(url)
  return {
    url: database.url,
    crash,
    stop: async () => {
      await database.stop()
      users--
      if (users > 0) return
      server = undefined
      await stop()
    },
  }
}

async function createDatabase(base: string): Promise<TestPostgres> {
  const name = `farebox_test_${randomUUID().replaceAll('-', '')}`
  await execute(base, `create database ${name}`)
  const url = new URL(base)
  url.pathname = `/${name}`
  return { url: url.href, stop: () => execute(base, `drop database ${name} with (force)`) }
}

/**
 * Its data goes when this process ends. vitest ends a worker with a signal. So another process
 * waits for the end of its input, which comes however this process ends.
 */
function createSharedCluster(): Cluster {
  const made = createCluster({})
  const remove =
    "process.stdin.resume().once('end', () => process.argv.slice(1).forEach((folder) => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20 })))"
  const watcher = spawn(process.execPath, ['-e', remove, ...made.folders], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.unref()
  if (watcher.stdin instanceof Socket) watcher.stdin.unref()
  return made
}

/** Runs a statement on a connection of its own. */
export async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

export type OwnPostgres = {
  /** A database of its own, empty. */
  readonly url: string
  /**
   * Kills the server and all its processes, and starts it again on the same data once `whileDown`
   * is done.
   */
  readonly crash: (whileDown?: () => Promise<void>) => Promise<void>
  /** Stops the server as an administrator does, and starts it again. */
  readonly restart: (mode: 'fast' | 'immediate') => Promise<void>
  /** Starts the server again if it has ended by itself. */
  readonly revive: () => Promise<void>
  /** Stops all processes of the server where they are. Returns what lets them go on. */
  readonly freeze: () => () => void
  readonly stop: () => Promise<void>
}

/** The signals of the modes (PostgreSQL, "Shutting Down the Server"). */
const modes = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/** Starts a real server from npm on a free port, with data of its own that go when it stops. */
export async function startOwnPostgres(options: ClusterOptions = {}): Promise<OwnPostgres> {
  const cluster = createCluster(options)
  const server = await startServer(cluster)
  return {
    ...server,
    stop: async () => {
      await server.stop()
      for (const folder of cluster.folders) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a server on data that exist. */
export async function startServer(cluster: Cluster): Promise<OwnPostgres> {
  const started = await onFreePort(cluster)
  const { port } = started
  let server = started.child
  const restart = async () => void (server = await retryUntilFree(() => cluster.serve(port)))
  /** A stopped server starts no further process, which would be missed. */
  const listHalted = () => {
    server.kill('SIGSTOP')
    return listFamily(server.pid ?? 0)
  }
  return {
    url: toUrl(port),
    crash: async (whileDown) => {
      // a process that survived the kill would block the next server
      sendSignal(listHalted(), 'SIGKILL')
      await waitForExit(server)
      await whileDown?.()
      await restart()
    },
    restart: async (mode) => {
      server.kill(modes[mode])
      await waitForExit(server)
      await restart()
    },
    revive: async () => {
      if (hasEnded(server)) await restart()
    },
    freeze: () => {
      const frozen = listHalted()
      sendSignal(frozen, 'SIGSTOP')
      return () => sendSignal(frozen, 'SIGCONT')
    },
    stop: async () => {
      server.kill('SIGINT')
      await waitForExit(server)
    },
  }
}

/** Another program may take the port before the server does. Then it tries another port. */
async function onFreePort(
  cluster: Cluster,
  attempts = 5,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await findFreePort()
  try {
    return { child: await cluster.serve(port), port }
  } catch (error) {
    if (attempts === 1) throw error
    return onFreePort(cluster, attempts - 1)
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Killed processes hold the data for a moment longer, in which a server does not start. */
async function retryUntilFree<T>(start: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await start()
    } catch {
      await sleep(50)
    }
  }
}

/** A process and its children. */
function listFamily(pid: number): readonly number[] {
  const processes =
    spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout ?? ''
  const children = processes
    .split('\n')
    .map(Number)
    .filter((child) => child > 0)
  return [...children, pid]
}

/** Sends a signal to processes. Some may have ended by themselves. */
function sendSignal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // it ended by itself
    }
  }
}

async function waitForExit(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
