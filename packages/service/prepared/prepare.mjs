// Writes data.tar.br: the folder of a database with our empty tables, made by this version of
// PGlite and these migrations. The bytes differ each time, so it is written only where the content
// does: when the version of PGlite or the schema changes.
// `--check` says what differs instead. Build the service first.
import { PGlite } from '@electric-sql/pglite'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { brotliCompressSync, constants } from 'node:zlib'
import { migrate } from '../dist/platform/database/migrate.js'
import { openPglite } from '../dist/platform/database/pglite.js'
import { StorageError } from '../dist/platform/database/storage-error.js'

const { resolve } = createRequire(import.meta.url)
const { version } = JSON.parse(
  readFileSync(new URL('../package.json', `file://${resolve('@electric-sql/pglite')}`), 'utf8'),
)
const versionFile = new URL('pglite-version', import.meta.url)
const isOfVersion = existsSync(versionFile) && readFileSync(versionFile, 'utf8') === `${version}\n`

// A log in files of 1 MB and a single database make 16 MB instead of 40, on disk or in memory.
const engine = await PGlite.create({ initDbStartParams: ['--wal-segsize=1'] })
await engine.query('update pg_database set datistemplate = false')
await engine.query('drop database template0')
await engine.query('drop database template1')
const database = {
  query: async (sql, params = []) => (await engine.query(sql, [...params])).rows,
  transaction: (statements) =>
    engine.transaction(async (transaction) => {
      for (const { sql, params = [] } of statements) await transaction.query(sql, [...params])
    }),
}
await migrate(database)
if (!isOfVersion || (await readContent(database)) !== (await keptContent())) {
  if (process.argv.includes('--check')) {
    process.stderr.write(
      `packages/service/prepared is not of PGlite ${version} and the migrations: run \`npx --yes pnpm@12.21.0 generate\`.\n`,
    )
    process.exitCode = 1
  } else await write()
}
await engine.close()

async function write() {
  const tar = new Uint8Array(await (await engine.dumpDataDir('none')).arrayBuffer())
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 }
  writeFileSync(new URL('data.tar.br', import.meta.url), brotliCompressSync(tar, { params }))
  writeFileSync(versionFile, `${version}\n`)
}

/** What the archive has once the service has migrated it. Undefined if its migrations changed. */
async function keptContent() {
  const kept = await openPglite()
  try {
    await migrate(kept)
    return await readContent(kept)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return undefined
  } finally {
    await kept.close()
  }
}

/** Columns, constraints, indexes, functions, triggers and migrations, as PostgreSQL writes them. */
async function readContent({ query }) {
  const queries = [
    `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns where table_schema = 'public' order by 1, 2`,
    `select conrelid::regclass::text as on, conname, pg_get_constraintdef(oid) as is from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`,
    `select indexdef from pg_indexes where schemaname = 'public' order by 1`,
    `select proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace order by 1`,
    `select pg_get_triggerdef(oid) as is from pg_trigger where not tgisinternal order by 1`,
    `select id::text, name from migration order by id`,
  ]
  const rows = []
  for (const sql of queries) rows.push(await query(sql))
  return JSON.stringify(rows)
}
