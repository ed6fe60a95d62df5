import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEmptyDatabase } from '../../../test/empty-database.js'
import type { Database } from './database.js'
import { openPglite } from './pglite.js'

let database: Database
beforeEach(async () => void (database = await openEmptyDatabase()))
afterEach(async () => {
  await database.query('drop table if exists changed')
  await database.close()
})

describe('a statement of the embedded database', () => {
  it('returns the same types on its first and later runs', async () => {
    const sql = `select $1::bigint as n, $2::timestamptz as t, $3::text[] as a, $4::bytea as b, $5::jsonb as j, $6::boolean as y, $7::text as z`
    const params = [
      2n ** 60n,
      new Date('2026-01-02T03:04:05Z'),
      ['a', 'b"c'],
      Uint8Array.of(0, 255),
      { k: [1] },
      false,
      null,
    ]
    const [n, t, a, b, j, y, z] = params
    for (let run = 0; run < 3; run++)
      expect(await database.query(sql, params)).toEqual([{ n, t, a, b, j, y, z }])
  })

  it('lets other work run, however many statements follow it', async () => {
    const turns: number[] = []
    setImmediate(() => turns.push(1))
    const start = performance.now()
    while (turns.length === 0 && performance.now() - start < 10_000)
      await database.query('select 1')
    expect(turns).toEqual([1])
  })

  it('continues to work when a table is altered', async () => {
    await database.query('create table changed (n integer)')
    await database.query('insert into changed values (1)')
    const look = () => database.query('select * from changed')
    for (let run = 0; run < 10; run++) expect(await look()).toEqual([{ n: 1 }])
    await database.query('alter table changed add m text')
    for (let run = 0; run < 2; run++) expect(await look()).toEqual([{ n: 1, m: null }])
  })

  it('fails with the PostgreSQL error code every time, without affecting others', async () => {
    const divide = (by: number) => database.query('select 1 / $1::integer as n', [by])
    for (let run = 0; run < 3; run++) {
      await expect(divide(0)).rejects.toMatchObject({ code: '22012' })
      await expect(database.query('select 1 from nowhere')).rejects.toMatchObject({ code: '42P01' })
      expect(await divide(1)).toEqual([{ n: 1 }])
    }
  })

  it('waits for a transaction, whatever it does between its statements', async () => {
    await database.query('create table changed (n integer)')
    const count = () => database.query('select count(*)::integer as n from changed')
    const meanwhile: Promise<unknown>[] = []
    async function* statements() {
      yield { sql: 'insert into changed values ($1)', params: [1] }
      meanwhile.push(count())
      await new Promise((resolve) => setImmediate(resolve))
      yield { sql: 'insert into changed values ($1)', params: [2] }
    }
    await database.transaction(statements())
    expect(await Promise.all(meanwhile)).toEqual([[{ n: 2 }]])
  })

  it('is rejected once the database is closed, and runs if it was sent before', async () => {
    const own = await openPglite()
    const before = own.query('select 1 as n')
    const closed = own.close()
    const after = own.query('select 1 as n')
    await expect(after).rejects.toThrow('The database is closed.')
    expect(await before).toEqual([{ n: 1 }])
    await closed
  })
})
