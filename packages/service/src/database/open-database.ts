import type { Database } from './database.js'
import { openPglite } from './pglite.js'
import { openPostgres } from './postgres.js'

export type DatabaseOptions = {
  /** Folder of the embedded database, locked until it is closed. Without it the database is in memory. */
  readonly data?: string
  /** A PostgreSQL in place of the embedded database. */
  readonly databaseUrl?: string
}

/** The database that the options name. */
export function openDatabase({ data, databaseUrl }: DatabaseOptions): Promise<Database> {
  return databaseUrl === undefined ? openPglite(data) : openPostgres(databaseUrl)
}
