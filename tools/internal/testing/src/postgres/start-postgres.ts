import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { createCluster, type Cluster } from './cluster.js'
import { execute } from './execute.js'
import { startServer, type OwnPostgres } from './own-postgres.js'

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
  const { url, crash, stop } = await (server ??= startServer((cluster ??= sharedCluster())))
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
function sharedCluster(): Cluster {
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
