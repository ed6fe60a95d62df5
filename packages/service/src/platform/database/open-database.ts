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
  /** Gives a new folder no tables, for a schema that is not the newest. Default: false. */
  readonly isBare?: boolean
  /** One connection to PostgreSQL until `close`, for what belongs to a session. Default: a pool. */
  readonly oneSession?: boolean
}

/** Opens a database, and loads its driver alone. */
export async function openDatabase({
  data,
  databaseUrl,
  unhurried,
  isBare = false,
  oneSession,
}: DatabaseOptions): Promise<Database> {
  if (databaseUrl === undefined) return (await import('./pglite.js')).openPglite(data, { isBare })
  const pool = oneSession === true ? { connections: 1, idleMs: 0 } : {}
  const patience = unhurried === true ? { lockMs: 0, statementMs: 0 } : {}
  return (await import('./postgres.js')).openPostgres(databaseUrl, { ...pool, ...patience })
}
