import type { Database } from '../src/platform/database/database.js'
import { migrate } from '../src/platform/database/migrate.js'
import { openPglite } from '../src/platform/database/pglite.js'

/**
 * Engines whose database was closed. An engine takes a second of work to start, and 50 ms to empty.
 */
const idle: Database[] = []

/**
 * Like `openPglite()`, with empty tables. After `close` it refuses every use, as a closed one does.
 */
export async function emptyDatabase(): Promise<Database> {
  const used = idle.pop()
  if (used) await empty(used)
  const engine = used ?? (await openMigrated())
  let closed = false
  const open = () => {
    if (closed) throw new Error('The database is closed.')
    return engine
  }
  return {
    query: async (sql, params) => open().query(sql, params),
    transaction: async (statements) => open().transaction(statements),
    close: async () => {
      idle.push(open())
      closed = true
    },
  }
}

async function openMigrated(): Promise<Database> {
  const engine = await openPglite()
  await migrate(engine)
  return engine
}

async function empty(engine: Database): Promise<void> {
  const tables = await engine.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'migration'`,
  )
  await engine.transaction([
    // without the triggers that refuse it
    { sql: 'set local session_replication_role = replica' },
    { sql: `truncate ${tables.map(({ name }) => name).join(', ')} restart identity` },
  ])
}
