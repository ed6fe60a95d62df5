import type { Database } from './database.js'

export type DatabaseOptions = {
  /**
   * Folder of the embedded database, locked until it is closed. Without it the database is in
   * memory.
   */
  readonly data?: string
  /** A PostgreSQL in place of the embedded database. */
  readonly databaseUrl?: string
  /** Lets a statement on PostgreSQL take any time. Default: at most 10 s, and 1 s for a lock. */
  readonly unhurried?: boolean
}

/** Opens a database, and loads its driver alone. */
export async function openDatabase({ data, databaseUrl, unhurried }: DatabaseOptions): Promise<Database> {
  if (databaseUrl === undefined) return (await import('./pglite.js')).openPglite(data)
  return (await import('./postgres.js')).openPostgres(databaseUrl, unhurried === true ? { lockMs: 0, statementMs: 0 } : {})
}
