import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openBareDatabase } from '../../../test/empty-database.js'
import { migrate } from './migrate.js'
import { migrations } from './migrations.js'
import { openPglite } from './pglite.js'

describe('migrate', () => {
  it('applies each step once, in order, and records it in the folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'farebox-data-'))
    const steps = [
      ...migrations,
      {
        id: 1001,
        name: 'one',
        statements: ['create table one (n integer)', 'insert into one values (1)'],
      },
    ]
    const first = await openPglite(folder)
    await migrate(first, steps)
    await migrate(first, steps)
    await first.close()

    const second = await openPglite(folder)
    await migrate(second, [
      ...steps,
      {
        id: 1002,
        name: 'two',
        statements: ['alter table one add column m bigint default 9007199254740993'],
      },
    ])
    expect(await second.query('select * from one')).toEqual([{ n: 1, m: 9007199254740993n }])
    await expect(migrate(second, steps)).rejects.toThrow(
      'The database has migration 1002, this program knows up to 1001',
    )
    await second.close()
    await rm(folder, { recursive: true })
  })

  it('rejects a database of a build whose steps had different statements', async () => {
    const step = (statement: string) => [{ id: 1001, name: 'one', statements: [statement] }]
    const database = await openBareDatabase()
    await migrate(database, step('create table one (n integer)'))
    await expect(migrate(database, step('create table one (n bigint)'))).rejects.toThrow(
      'The database was made by another build of this program: migration 1001 is not the same.',
    )
    await database.query('alter table migration drop column digest')
    await expect(migrate(database, step('create table one (n integer)'))).rejects.toThrow(
      'another build',
    )
    await database.close()
  })

  it('rolls back a step that fails halfway', async () => {
    const database = await openBareDatabase()
    const broken = [
      ...migrations,
      {
        id: 1001,
        name: 'broken',
        statements: ['create table half (n integer)', 'create nonsense'],
      },
    ]
    await expect(migrate(database, broken)).rejects.toThrow('nonsense')
    await migrate(database, [
      ...migrations,
      { id: 1001, name: 'mended', statements: ['create table half (n integer)'] },
    ])
    await database.close()
  })
})
