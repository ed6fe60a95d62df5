import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from './database.js'
import { migrate } from './migrate.js'
import { openPglite } from './pglite.js'
import { entriesOf, preparedTar, unpackPrepared } from './prepared.js'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'farebox-prepared-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the prepared folder', () => {
  it('is of the version of PGlite that is installed (else: node packages/service/prepared/prepare.mjs)', async () => {
    const entry = pathToFileURL(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
    const manifest = JSON.parse(await readFile(new URL('../package.json', entry), 'utf8')) as { readonly version: string }
    expect(await readFile(new URL('../../../prepared/pglite-version', import.meta.url), 'utf8')).toBe(`${manifest.version}\n`)
    expect(await preparedTar()).toBeDefined()
  })

  it('has the tables that the migrations make (else: node packages/service/prepared/prepare.mjs)', async () => {
    const unpacked = await openPglite()
    const before = await unpacked.query('select id, name from migration order by id')
    await migrate(unpacked)
    const fromNothing = await openPglite(undefined, { isBare: true })
    await migrate(fromNothing)
    expect(before.length).toBeGreaterThan(0)
    expect(await schemaOf(unpacked)).toEqual(await schemaOf(fromNothing))
    await unpacked.close()
    await fromNothing.close()
  })

  it('becomes a database, whatever an unpacking that was killed has left', async () => {
    const data = join(folder, 'killed')
    await mkdir(join(data, 'pglite.draft'), { recursive: true })
    await writeFile(join(data, 'pglite.draft', 'PG_VERSION'), 'half')
    const database = await openPglite(data)
    await database.query('create table kept (id integer)')
    await database.close()
    expect((await readdir(data)).filter((name) => !name.startsWith('lock.'))).toEqual(['pglite'])

    const again = await openPglite(data)
    expect(await again.query(`select relname from pg_class where relname = 'kept'`)).toEqual([{ relname: 'kept' }])
    await again.close()
  })

  it('leaves a folder alone that is there', async () => {
    const target = join(folder, 'there')
    await mkdir(target)
    await unpackPrepared(target)
    expect(await readdir(target)).toEqual([])
  })
})

/** Columns, constraints, indexes and rows, as PostgreSQL writes them. */
async function schemaOf(database: Database): Promise<unknown> {
  const columns = await database.query(
    `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns where table_schema = 'public' order by 1, 2`,
  )
  const constraints = await database.query(
    `select conrelid::regclass::text as on, conname, pg_get_constraintdef(oid) as is from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`,
  )
  const indexes = await database.query(`select indexdef from pg_indexes where schemaname = 'public' order by 1`)
  const functions = await database.query(`select proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace order by 1`)
  const triggers = await database.query(`select pg_get_triggerdef(oid) as is from pg_trigger where not tgisinternal order by 1`)
  const rows = await database.query(`select id::text, name from migration order by id`)
  return { columns, constraints, indexes, functions, triggers, rows }
}

describe('entriesOf', () => {
  const tar = (name: string, size = '00000000000') => {
    const block = Buffer.alloc(1024)
    block.write(name)
    block.write(size, 124)
    return block
  }

  it('gives names and bytes', () => {
    const archive = Buffer.concat([tar('/a/b', '00000000003').fill('xyz', 512, 515), Buffer.alloc(1024)])
    expect([...entriesOf(archive)]).toEqual([{ name: 'a/b', bytes: Buffer.from('xyz') }])
  })

  it('refuses what leads out of the folder, or has no length', () => {
    expect(() => [...entriesOf(tar('/../x'))]).toThrow('"../x"')
    expect(() => [...entriesOf(tar('/x', 'zzz'))]).toThrow('"x"')
  })
})
