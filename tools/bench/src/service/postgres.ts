import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from '../root.js'

export type PostgresServer = { readonly url: string; readonly stop: () => Promise<void> }

/** Starts a PostgreSQL like that of the service's tests, on a free port. */
export async function startPostgres(): Promise<PostgresServer> {
  // in the service's node_modules, where the imports of the bundle are found
  const outfile = join(root, 'packages/service/node_modules/.cache/bench/postgres.mjs')
  const entry = join(root, 'packages/service/test/postgres.ts')
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'error' })
  const module = (await import(pathToFileURL(outfile).href)) as { readonly startPostgres: () => Promise<PostgresServer> }
  return module.startPostgres()
}
