import { StorageError } from './storage-error.js'

/** A PostgreSQL that cannot be reached or does not let us in. Names the host, never the password. */
export class DatabaseUnreachableError extends StorageError {
  override readonly name = 'DatabaseUnreachableError'
}
