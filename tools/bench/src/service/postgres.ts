import { build } from 'esbuild'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * A PostgreSQL like that of the tests, on a free port.
 * @returns {Promise<{ readonly url: string, readonly stop: () => Promise<void> }>}
 */
export async function startPostgres() {
  // where what it imports is found
  const outfile = fileURLToPath(new URL('../../../packages/service/node_modules/.cache/bench/postgres.mjs', import.meta.url))
  const entry = fileURLToPath(new URL('../../../packages/service/test/postgres.ts', import.meta.url))
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'error' })
  return (await import(pathToFileURL(outfile).href)).startPostgres()
}
