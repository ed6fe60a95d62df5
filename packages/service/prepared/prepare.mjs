// Writes data.tar.br: the folder of a database with our empty tables, made by this version of
// PGlite and these migrations. Build the service first. Run it when the version of PGlite changes.
// A new migration does not need it, because the service migrates the unpacked folder.
import { PGlite } from '@electric-sql/pglite'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { brotliCompressSync, constants } from 'node:zlib'
import { migrate } from '../dist/platform/database/migrate.js'

const { resolve } = createRequire(import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('../package.json', `file://${resolve('@electric-sql/pglite')}`), 'utf8'))
const database = await PGlite.create()
await migrate({
  query: async (sql, params = []) => (await database.query(sql, [...params])).rows,
  transaction: (statements) =>
    database.transaction(async (transaction) => {
      for (const { sql, params = [] } of statements) await transaction.query(sql, [...params])
    }),
  close: () => database.close(),
})
const tar = new Uint8Array(await (await database.dumpDataDir('none')).arrayBuffer())
await database.close()
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 }
writeFileSync(new URL('data.tar.br', import.meta.url), brotliCompressSync(tar, { params }))
writeFileSync(new URL('pglite-version', import.meta.url), `${manifest.version}\n`)
