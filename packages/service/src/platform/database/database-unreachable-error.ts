import { StorageError } from './storage-error.js'

/**
 * A PostgreSQL that cannot be reached or refuses the login. The message has the host, never the
 * password.
 */
export class DatabaseUnreachableError extends StorageError {
  override readonly name = 'DatabaseUnreachableError'
}
