import type { Database } from '../src/platform/database/database.js'
import { migrate } from '../src/platform/database/migrate.js'
import { openPglite } from '../src/platform/database/pglite.js'

/**
 * Engines whose database was closed. An engine takes a second of work to start, and 10 ms to empty.
 */
const idle: Database[] = []

/** The tables, rules and functions that the migrations make, once they are known. */
let schema: string | undefined

/**
 * Like `openPglite()`, with empty tables, whatever the test before has done to the schema and the
 * settings of the session. After `close` it rejects every use, as a closed one does.
 */
export async function openEmptyDatabase(): Promise<Database> {
  const engine = idle.pop() ?? (await openPglite())
  if (schema === undefined) {
    await migrate(engine)
    schema = await readSchema(engine)
  } else if ((await readSchema(engine)) === schema) await empty(engine)
  else await makeAnew(engine)
  return wrapEngine(engine, async () => undefined)
}

/**
 * An engine without tables, for migrations of its own. Its tables are made anew when it is closed.
 */
export async function openBareDatabase(): Promise<Database> {
  const engine = idle.pop() ?? (await openPglite())
  await dropTables(engine)
  return wrapEngine(engine, () => makeAnew(engine))
}

async function dropTables(engine: Database): Promise<void> {
  await engine.transaction([
    ...fresh,
    { sql: 'drop schema public cascade' },
    { sql: 'create schema public' },
  ])
}

async function makeAnew(engine: Database): Promise<void> {
  await dropTables(engine)
  await migrate(engine)
}

/** A session without the settings and temporary tables of the one before. */
const fresh = [{ sql: 'reset all' }, { sql: 'discard temp' }]

/** Undefined where the table of the migrations is missing. */
async function readSchema(engine: Database): Promise<string | undefined> {
  const [table] = await engine.query<{ name: string | null }>(
    `select to_regclass('public.migration')::text as name`,
  )
  if (table?.name == null) return undefined
  const [row] = await engine.query<{ schema: string }>(
    `select string_agg(part, chr(10) order by part) as schema from (
       select concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)) as part
       from pg_class c join pg_attribute a on attrelid = c.oid left join pg_attrdef on adrelid = attrelid and adnum = attnum
       where relnamespace = 'public'::regnamespace and attnum > 0
       union all select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
         where connamespace = 'public'::regnamespace
       union all select concat_ws(' ', pg_get_triggerdef(oid), tgenabled) from pg_trigger where not tgisinternal
       union all select concat_ws(' ', proname, prosrc) from pg_proc where pronamespace = 'public'::regnamespace
       union all select concat_ws(' ', 'migration', id, name) from migration
     ) parts`,
  )
  return row?.schema
}

function wrapEngine(engine: Database, mend: () => Promise<void>): Database {
  let closed = false
  const open = () => {
    if (closed) throw new Error('The database is closed.')
    return engine
  }
  return {
    query: async (sql, params) => open().query(sql, params),
    transaction: async (statements) => open().transaction(statements),
    close: async () => {
      open()
      closed = true
      await mend()
      idle.push(engine)
    },
  }
}

/** Bytes beyond which it costs less to make all files of tables anew than to delete their rows. */
const large = 262_144

async function empty(engine: Database): Promise<void> {
  const tables = await engine.query<{ name: string; size: number }>(
    `select oid::regclass::text as name, pg_relation_size(oid)::integer as size from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'migration'`,
  )
  const used = tables.filter(({ size }) => size > 0)
  await engine.transaction([
    ...fresh,
    // without the triggers that reject it
    { sql: 'set local session_replication_role = replica' },
    ...(used.some(({ size }) => size > large)
      ? [{ sql: `truncate ${tables.map(({ name }) => name).join(', ')}` }]
      : used.map(({ name }) => ({ sql: `delete from ${name}` }))),
    {
      sql: `select setval(quote_ident(sequencename)::regclass, start_value, false) from pg_sequences where schemaname = 'public'`,
    },
  ])
}
