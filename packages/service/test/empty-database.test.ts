import { expect, it } from 'vitest'
import { bareDatabase, emptyDatabase } from './empty-database.js'

it.each([10, 20_000])('an engine that held %i rows is given again without them, and counts from one', async (rows) => {
  const used = await emptyDatabase()
  await used.query(`insert into account (name, kind, created_at) select g::text, 'key', now() from generate_series(1, ${rows}) g`)
  await used.close()
  const empty = await emptyDatabase()
  expect(await empty.query('select name from account')).toEqual([])
  expect(await empty.query('select 1 as one from migration limit 1')).toEqual([{ one: 1 }])
  await empty.query(`insert into account (name, kind, created_at) values ('first', 'key', now())`)
  expect(await empty.query('select id, name from account')).toEqual([{ id: 1n, name: 'first' }])
  await empty.close()
})

it('an engine without tables has them again for the next test', async () => {
  const bare = await bareDatabase()
  await bare.query('create table account (name integer)')
  expect(await bare.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([{ relname: 'account' }])
  await bare.close()
  const empty = await emptyDatabase()
  await empty.query(`insert into account (name, kind, created_at) values ('first', 'key', now())`)
  expect(await empty.query('select id, name from account')).toEqual([{ id: 1n, name: 'first' }])
  await empty.close()
})
