import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bareDatabase, dropTables } from '../../../test/empty-database.js'
import { startService } from '../../../test/harness.js'
import type { Database } from './database.js'
import { migrate } from './migrate.js'
import { migrations, type Migration } from './migrations.js'

/** The newest step of the first program, whose processes may run beside those of the next one. */
const firstProgram = 18

type Column = {
  readonly table: string
  readonly column: string
  readonly type: string
  readonly nullable: boolean
  readonly filled: boolean
}
type Rule = { readonly table: string; readonly name: string; readonly columns: readonly string[] | null; readonly text: string }
type Schema = { readonly columns: readonly Column[]; readonly rules: readonly Rule[]; readonly code: readonly string[] }

async function schemaOf(database: Database): Promise<Schema> {
  const columns = await database.query<Column>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
       a.atthasdef or a.attidentity <> '' as filled
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
  )
  // constraints, and the unique indexes that are none
  const rules = await database.query<Rule>(
    `select c.conrelid::regclass::text as table, c.conname as name, pg_get_constraintdef(c.oid) as text,
       (select array_agg(a.attname::text) from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey)) as columns
     from pg_constraint c where c.connamespace = 'public'::regnamespace and c.contype <> 'n'
     union all
     select i.indrelid::regclass::text, i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid),
       (select array_agg(a.attname::text) from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any (i.indkey))
     from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = 'public'::regnamespace and i.indisunique and not exists (select from pg_constraint where conindid = i.indexrelid)`,
  )
  const code = await database.query<{ text: string }>(
    `select pg_get_functiondef(oid) as text from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
     union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal`,
  )
  return { columns, rules, code: code.map(({ text }) => text) }
}

/** What of the statements of a program on the older schema would fail, or mean something else. */
function breaks(older: Schema, newer: Schema): readonly string[] {
  const isOld = ({ table, column }: Pick<Column, 'table' | 'column'>) =>
    older.columns.some((one) => one.table === table && one.column === column)
  const tables = new Set(older.columns.map(({ table }) => table))
  const changed = older.columns.flatMap(({ table, column, type, nullable, filled }) => {
    const now = newer.columns.find((one) => one.table === table && one.column === column)
    if (!now) return [`${table}.${column} is gone`]
    if (now.type !== type) return [`${table}.${column} is ${now.type}, was ${type}`]
    return (nullable && !now.nullable) || (filled && !now.filled) ? [`${table}.${column} must be given`] : []
  })
  const asked = newer.columns
    .filter((one) => tables.has(one.table) && !isOld(one) && !one.nullable && !one.filled)
    .map(({ table, column }) => `${table}.${column} is new and must be given`)
  const refusing = newer.rules
    .filter(
      ({ table, name, text }) =>
        tables.has(table) && !older.rules.some((one) => one.table === table && one.name === name && one.text === text),
    )
    .filter(({ table, columns }) => (columns ?? []).some((column) => isOld({ table, column })))
    .map(({ table, text }) => `${table}: ${text}`)
  return [...changed, ...asked, ...refusing, ...older.code.filter((text) => !newer.code.includes(text)).map((text) => `changed: ${text}`)]
}

let database: Database
beforeAll(async () => void (database = await bareDatabase()))
afterAll(() => database.close())

describe('a step of the schema', () => {
  let older: Schema
  beforeAll(async () => {
    await dropTables(database)
    await migrate(
      database,
      migrations.filter(({ id }) => id <= firstProgram),
    )
    older = await schemaOf(database)
    await migrate(database)
  })

  it('after those of the first program leaves all statements of the program before it as they are', async () => {
    expect(breaks(older, await schemaOf(database))).toEqual([])
  })

  it.each([
    ['alter table account add column colour text not null', 'account.colour is new and must be given'],
    ['alter table account alter column partner type text', 'account.partner is text, was boolean'],
    ['alter table account drop column partner', 'account.partner is gone'],
    ['alter table entry alter column request_id set not null', 'entry.request_id must be given'],
    ['alter table account alter column entries drop default', 'account.entries must be given'],
    ['alter table account add check (entries < 1000)', 'account: CHECK ((entries < 1000))'],
    ['create unique index twice on entry (request_id)', 'entry: CREATE UNIQUE INDEX twice'],
    [
      `create or replace function next_hash(hash bytea, first bytea, content text) returns bytea language sql as $$ select hash $$`,
      'changed: ',
    ],
    ['alter table account add column shade text; create index on account (shade); create table one (n integer not null)', undefined],
    [`alter table account add column tint text not null default 'red' check (tint <> '')`, undefined],
  ])('is compared: %s', async (sql, fault) => {
    const before = await schemaOf(database)
    for (const statement of sql.split('; ')) await database.query(statement)
    const found = breaks(before, await schemaOf(database))
    if (fault === undefined) expect(found).toEqual([])
    else expect(found[0]).toContain(fault)
  })
})

it('of a newer program changes nothing for a service that runs, and for one that starts again', async () => {
  const newer: Migration = {
    id: 9_001,
    name: 'newer',
    statements: [
      'alter table entry add column colour text',
      'alter table account add column colour text',
      'create table colour (name text)',
    ],
  }
  await dropTables(database)
  const open = () => startService({ database: { ...database, close: async () => undefined } })
  const farebox = await open()
  const wallet = await farebox.richWallet(1)
  const parse = async (from = farebox) => {
    const body = new FormData()
    body.append('file', new Blob(['Tram fares']), 'a.txt')
    const headers = await from.signIn(wallet)
    return (await from.call('parseText', '/augment/text-parser', { method: 'POST', body, headers })).status
  }
  expect(await parse()).toBe(200)
  await migrate(farebox.database, [...migrations, newer])
  expect(await parse()).toBe(200)
  const again = await open()
  expect(await parse(again)).toBe(200)
  expect(await again.ledger.audit()).toEqual([])

  await migrate(farebox.database, [...migrations, newer, { id: 9_002, name: 'takes away', statements: [], worksFrom: 9_001 }])
  await expect(open()).rejects.toThrow('The database has migration 9002, this program knows up to')
  await again.service.close()
  await farebox.service.close()
})
