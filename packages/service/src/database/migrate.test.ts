import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { migrate } from './migrate.js'
import { openPglite } from './pglite.js'

describe('migrate', () => {
  it('applies each step once, in order, and keeps it in the folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'farebox-data-'))
    const steps = [{ id: 1, name: 'one', statements: ['create table one (n integer)', 'insert into one values (1)'] }]
    const first = await openPglite(folder)
    await migrate(first, steps)
    await migrate(first, steps)
    await first.close()

    const second = await openPglite(folder)
    await migrate(second, [...steps, { id: 2, name: 'two', statements: ['alter table one add column m bigint default 9007199254740993'] }])
    expect(await second.query('select * from one')).toEqual([{ n: 1, m: 9007199254740993n }])
    await expect(migrate(second, steps)).rejects.toThrow('The database has migration 2, this program knows up to 1')
    await second.close()
    await rm(folder, { recursive: true })
  })

  it('undoes a step that fails half-way', async () => {
    const database = await openPglite()
    const broken = [{ id: 1, name: 'broken', statements: ['create table half (n integer)', 'create nonsense'] }]
    await expect(migrate(database, broken)).rejects.toThrow('nonsense')
    await migrate(database, [{ id: 1, name: 'mended', statements: ['create table half (n integer)'] }])
    await database.close()
  })
})
