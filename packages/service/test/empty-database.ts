import type { Database } from '../src/platform/database/database.js'
import { migrate } from '../src/platform/database/migrate.js'
import { openPglite } from '../src/platform/database/pglite.js'

/**
 * Engines whose database was closed. An engine takes a second of work to start, and 10 ms to empty.
 */
const idle: Database[] = []

/**
 * Like `openPglite()`, with empty tables. After `close` it refuses every use, as a closed one does.
 */
export async function emptyDatabase(): Promise<Database> {
  const used = idle.pop()
  if (used) await empty(used)
  return lent(used ?? (await openMigrated()), async () => undefined)
}

/**
 * An engine without tables, for migrations of its own. Its tables are made anew when it is closed.
 */
export async function bareDatabase(): Promise<Database> {
  const engine = idle.pop() ?? (await openPglite())
  await dropTables(engine)
  return lent(engine, async () => {
    await dropTables(engine)
    await migrate(engine)
  })
}

export async function dropTables(engine: Database): Promise<void> {
  await engine.transaction([{ sql: 'drop schema public cascade' }, { sql: 'create schema public' }])
}

function lent(engine: Database, mend: () => Promise<void>): Database {
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

async function openMigrated(): Promise<Database> {
  const engine = await openPglite()
  await migrate(engine)
  return engine
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
    // without the triggers that refuse it
    { sql: 'set local session_replication_role = replica' },
    ...(used.some(({ size }) => size > large)
      ? [{ sql: `truncate ${tables.map(({ name }) => name).join(', ')}` }]
      : used.map(({ name }) => ({ sql: `delete from ${name}` }))),
    { sql: `select setval(quote_ident(sequencename)::regclass, start_value, false) from pg_sequences where schemaname = 'public'` },
  ])
}
