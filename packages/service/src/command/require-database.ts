import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StorageError } from '../platform/database/storage-error.js'
import type { Settings } from './settings/settings.js'

/** Throws if the folder has no database: the engine would make a new one, which has nothing. */
export function requireDatabase({ data, databaseUrl }: Settings): void {
  if (databaseUrl !== undefined || existsSync(join(data, 'pglite'))) return
  throw new StorageError(
    `The folder ${data} has no database. Give the one of the service with --data, or FAREBOX_DATABASE_URL.`,
  )
}
