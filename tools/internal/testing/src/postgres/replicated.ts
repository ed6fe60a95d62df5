import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../commands.js'
import { createCluster, createTemporaryFolder } from './cluster.js'
import { execute, startServer, type OwnPostgres } from './postgres.js'

/** A primary whose commits wait for its standby. */
export type ReplicatedPostgres = {
  readonly primary: OwnPostgres
  readonly standby: OwnPostgres
  /** Both hosts, of which the one that takes writes is used. */
  readonly url: string
  /** Resolves once the standby takes writes. */
  readonly promote: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts both on free ports, the standby on a copy of the data of the primary. */
export async function startReplicated(): Promise<ReplicatedPostgres> {
  const copy = createTemporaryFolder()
  const original = createCluster({
    settings: ['synchronous_standby_names=standby', 'synchronous_commit=on'],
  })
  const [, folder = ''] = original.folders
  await run('cp', ['-a', join(folder, 'data'), copy])
  writeFileSync(join(copy, 'data', 'standby.signal'), '')
  const primary = await startServer(original)
  const { port, host } = new URL(primary.url)
  const source = `host=127.0.0.1 port=${port} user=postgres application_name=standby`
  // the data were made for as many, and a standby may not have fewer
  const settings = [`primary_conninfo=${source}`, 'max_connections=100']
  const replica = createCluster({ folder: copy, settings })
  const standby = await startServer(replica)
  return {
    primary,
    standby,
    url: `postgres://postgres@${host},${new URL(standby.url).host}/postgres?target_session_attrs=read-write`,
    promote: () => execute(standby.url, 'select pg_promote()'),
    stop: async () => {
      // a primary that stops waits for its standby
      await standby.stop()
      await primary.stop()
      for (const one of [...original.folders, ...replica.folders])
        rmSync(one, { recursive: true, force: true })
    },
  }
}
