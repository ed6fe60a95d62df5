import { afterAll, beforeAll, expect, it, describe } from 'vitest'
import { openEmptyDatabase } from '../../../test/empty-database.js'
import type { Database } from './database.js'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPglite, readEntries, readPreparedTar, unpackPrepared } from './pglite.js'

let database: Database
beforeAll(async () => {
  database = await openEmptyDatabase()
})
afterAll(() => database.close())

it('reports a lack of resources, such as a full disk, as temporary, and other errors unchanged', async () => {
  // PostgreSQL's class 53, like a full disk
  await database.query(`set work_mem = '64kB'`)
  await database.query(`set temp_file_limit = '64kB'`)
  const sort = { sql: 'select md5(i::text) from generate_series(1, 100000) i order by 1' }
  const lack = { name: 'DatabaseUnavailableError', code: '53400' }
  await expect(database.query(sort.sql)).rejects.toMatchObject(lack)
  await expect(database.transaction([sort])).rejects.toMatchObject(lack)
  await expect(database.query('select 1 / 0')).rejects.toMatchObject({ name: 'error' })
})

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'farebox-prepared-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the prepared folder', () => {
  it('exists for the installed version of PGlite', async () => {
    expect(await readPreparedTar()).toBeDefined()
  })

  it('becomes a database, even after an interrupted unpacking', async () => {
    const data = join(folder, 'killed')
    await mkdir(join(data, 'pglite.draft'), { recursive: true })
    await writeFile(join(data, 'pglite.draft', 'PG_VERSION'), 'half')
    const database = await openPglite(data)
    await database.query('create table kept (id integer)')
    await database.close()
    expect((await readdir(data)).filter((name) => !name.startsWith('lock.'))).toEqual(['pglite'])

    const again = await openPglite(data)
    expect(await again.query(`select relname from pg_class where relname = 'kept'`)).toEqual([
      { relname: 'kept' },
    ])
    await again.close()
  })

  it('does not touch an existing folder', async () => {
    const target = join(folder, 'there')
    await mkdir(target)
    await unpackPrepared(target)
    expect(await readdir(target)).toEqual([])
  })
})

describe('readEntries', () => {
  const tar = (name: string, size = '00000000000') => {
    const block = Buffer.alloc(1024)
    block.write(name)
    block.write(size, 124)
    return block
  }

  it('returns names and bytes', () => {
    const archive = Buffer.concat([
      tar('/a/b', '00000000003').fill('xyz', 512, 515),
      Buffer.alloc(1024),
    ])
    expect([...readEntries(archive)]).toEqual([{ name: 'a/b', bytes: Buffer.from('xyz') }])
  })

  it('rejects entries that escape the folder or have no length', () => {
    expect(() => [...readEntries(tar('/../x'))]).toThrow('"../x"')
    expect(() => [...readEntries(tar('/x', 'zzz'))]).toThrow('"x"')
  })
})
