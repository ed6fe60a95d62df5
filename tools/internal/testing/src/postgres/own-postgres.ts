import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.js'
import { createCluster, toUrl, type Cluster, type ClusterOptions } from './cluster.js'
import { ended, listFamily, signal } from './processes.js'

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
  const again = async () => void (server = await whenFree(() => cluster.serve(port)))
  /** A stopped server starts no further process, which would be missed. */
  const halted = () => {
    server.kill('SIGSTOP')
    return listFamily(server.pid ?? 0)
  }
  return {
    url: toUrl(port),
    crash: async (whileDown) => {
      // a process that survived the kill would block the next server
      signal(halted(), 'SIGKILL')
      await ended(server)
      await whileDown?.()
      await again()
    },
    restart: async (mode) => {
      server.kill(modes[mode])
      await ended(server)
      await again()
    },
    revive: async () => {
      if (hasEnded(server)) await again()
    },
    freeze: () => {
      const frozen = halted()
      signal(frozen, 'SIGSTOP')
      return () => signal(frozen, 'SIGCONT')
    },
    stop: async () => {
      server.kill('SIGINT')
      await ended(server)
    },
  }
}

/** Another program may take the port before the server does. Then it tries another port. */
async function onFreePort(
  cluster: Cluster,
  attempts = 5,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await freePort()
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

/** Killed processes hold the data for a moment longer, in which a server refuses to start. */
async function whenFree<T>(start: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await start()
    } catch {
      await sleep(50)
    }
  }
}
