import { expect, it } from 'vitest'
import { summarizeSql } from './open-database.js'

it.each([
  ['select 1', 'SELECT'],
  ["select value from setting where name = 'a secret'", 'SELECT setting'],
  ['insert into entry (id) values ($1)', 'INSERT entry'],
  [
    'with held as (select 1 from account for no key update of a), gone as (delete from hold returning 1) update account set x = 1',
    'DELETE hold UPDATE account',
  ],
  ['insert into t (a) values ($1) on conflict (a) do update set a = 1', 'INSERT t'],
  ['select 1 from hold for update skip locked', 'SELECT hold'],
])('names %j by its operation and tables', (sql, summary) => {
  expect(summarizeSql(sql)).toBe(summary)
})
