// Makes data.tar.br anew: the folder of an empty database, as this version of PGlite makes it. Run it when PGlite is changed.
import { PGlite } from '@electric-sql/pglite'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { brotliCompressSync, constants } from 'node:zlib'

const { resolve } = createRequire(import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('../package.json', `file://${resolve('@electric-sql/pglite')}`), 'utf8'))
const database = await PGlite.create()
await database.query('select 1')
const tar = new Uint8Array(await (await database.dumpDataDir('none')).arrayBuffer())
await database.close()
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 }
writeFileSync(new URL('data.tar.br', import.meta.url), brotliCompressSync(tar, { params }))
writeFileSync(new URL('pglite-version', import.meta.url), `${manifest.version}\n`)
