import { readErrorCode } from '../error-code.js'

/**
 * A data folder or a database that cannot be used. The message is for the operator, without a
 * password.
 */
export class StorageError extends Error {
  override readonly name: string = 'StorageError'
}

/**
 * A PostgreSQL that cannot be reached or refuses the login. The message has the host, never the
 * password.
 */
export class DatabaseUnreachableError extends StorageError {
  override readonly name = 'DatabaseUnreachableError'
}

/** The system's reason, for an operator. */
export function describeError(error: unknown): string {
  const code = readErrorCode(error) ?? ''
  if (Object.hasOwn(reasons, code)) return reasons[code] ?? code
  const message = error instanceof Error ? error.message.split('\n', 1)[0] : undefined
  return message === undefined || message === '' ? code || 'the system gives no reason' : message
}

const noPermission = 'this user has no permission to write there'
const reasons: Readonly<Record<string, string>> = {
  EACCES: noPermission,
  EPERM: noPermission,
  EEXIST: 'there is a file of that name',
  EISDIR: 'there is a folder where a file should be',
  ENOTDIR: 'a part of its path is a file',
  ENOENT: 'the file system makes no folder there',
  ELOOP: 'its path is a loop of symbolic links',
  ENAMETOOLONG: 'its name is too long',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
}
