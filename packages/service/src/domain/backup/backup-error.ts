import { StorageError } from '../../platform/database/storage-error.js'

/** A backup that cannot be made, read or restored. The message is for the operator. */
export class BackupError extends StorageError {
  override readonly name = 'BackupError'
}
