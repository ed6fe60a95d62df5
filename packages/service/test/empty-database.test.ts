import { expect, it } from 'vitest'
import { openBareDatabase, openEmptyDatabase } from './empty-database.js'

it.each([10, 20_000])(
  'an engine that held %i rows is reused empty, with reset sequences',
  async (rows) => {
    const used = await openEmptyDatabase()
    await used.query(
      `insert into account (name, kind, created_at) select g::text, 'key', now() from generate_series(1, ${rows}) g`,
    )
    await used.close()
    const empty = await openEmptyDatabase()
    expect(await empty.query('select name from account')).toEqual([])
    expect(await empty.query('select 1 as one from migration limit 1')).toEqual([{ one: 1 }])
    await empty.query(`insert into account (name, kind, created_at) values ('first', 'key', now())`)
    expect(await empty.query('select id, name from account')).toEqual([{ id: 1n, name: 'first' }])
    await empty.close()
  },
)

it('an engine whose tables were dropped gets them back for the next test', async () => {
  const bare = await openBareDatabase()
  await bare.query('create table account (name integer)')
  expect(
    await bare.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`),
  ).toEqual([{ relname: 'account' }])
  await bare.close()
  const empty = await openEmptyDatabase()
  await empty.query(`insert into account (name, kind, created_at) values ('first', 'key', now())`)
  expect(await empty.query('select id, name from account')).toEqual([{ id: 1n, name: 'first' }])
  await empty.close()
})

it.each([
  ['a column', `alter table account add column colour text not null default ''`],
  ['a table', 'create table colour (name text)'],
  ['a trigger that is off', 'alter table entry disable trigger entry_append_only'],
  ['a migration of a newer program', `insert into migration (id, name) values (9999, 'newer')`],
  ['a missing table', 'drop table migration'],
])('%s that a test leaves behind is removed for the next one', async (_, sql) => {
  const read = async () => {
    const database = await openEmptyDatabase()
    const columns = await database.query(
      `select table_name, column_name from information_schema.columns where table_schema = 'public' order by 1, 2`,
    )
    const triggers = await database.query(
      'select tgname, tgenabled from pg_trigger where not tgisinternal order by 1',
    )
    return {
      database,
      found: [columns, triggers, await database.query('select id, name from migration')],
    }
  }
  const before = await read()
  await before.database.query(sql)
  await before.database.close()
  const after = await read()
  expect(after.found).toEqual(before.found)
  await after.database.close()
})

it('session settings and temporary tables are removed for the next test', async () => {
  const before = await openEmptyDatabase()
  await before.query(`set timezone = 'Pacific/Kiritimati'`)
  await before.query('create temporary table account (name integer)')
  await before.close()
  const after = await openEmptyDatabase()
  expect(await after.query('show timezone')).not.toEqual([{ TimeZone: 'Pacific/Kiritimati' }])
  await after.query(`insert into account (name, kind, created_at) values ('first', 'key', now())`)
  await after.close()
})
