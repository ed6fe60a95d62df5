import { readErrorCode } from '../unknown-value.js'

/**
 * A data folder or a database that cannot be used. The message is for the operator, without a
 * password.
 */
export class StorageError extends Error {
  override readonly name: string = 'StorageError'
}

/**
 * A PostgreSQL that cannot be reached or rejects the login. The message has the host, never the
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

const noPermission = 'this user has no permission there'
const reasons: Readonly<Record<string, string>> = {
  EACCES: noPermission,
  EPERM: noPermission,
  EEXIST: 'there is a file of that name',
  EISDIR: 'there is a folder where a file should be',
  ENOTDIR: 'a part of its path is a file',
  ENOENT: 'there is no such file or folder',
  ELOOP: 'its path is a loop of symbolic links',
  ENAMETOOLONG: 'its name is too long',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
}

/**
 * A database that was reachable at the start does not do a statement now: it restarts, has no
 * connection left, or waits too long for a locked row. A later attempt may succeed. The message has
 * the reason of the database, without a password. `code` is that of the cause: the outcome of the
 * statement is unknown after some of them.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError'
  readonly code: string | undefined

  constructor(cause: Error) {
    super(`The database does not respond at the moment: ${cause.message || readErrorCode(cause)}`, {
      cause,
    })
    this.code = readErrorCode(cause)
  }
}

/**
 * PostgreSQL's classes 08 (connection), 53 (resources) and 57 (operator), a lock that was not free
 * in time, a transaction that was ended as it was idle, and a write to what has become a standby
 * (PostgreSQL, appendix A).
 */
const unavailable =
  /^(?:(?:08|53|57)[0-9A-Z]{3}|55P03|25P03|25006|ECONN\w+|E(?:HOST|NET)UNREACH|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/

/** The driver gives its own errors, such as "Connection terminated unexpectedly", no code. */
export function toUnavailable(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = readErrorCode(error)
  return (code === undefined ? error.name === 'Error' : unavailable.test(code))
    ? new DatabaseUnavailableError(error)
    : error
}

/** Strings that a database would reject, change or truncate. */
const rules = [
  { found: /\0/, message: 'U+0000 cannot be kept.' },
  {
    found: /\p{Surrogate}/u,
    message: 'Half of a surrogate pair cannot be kept; expected well-formed Unicode.',
  },
  { found: /^\ufeff/, message: 'A byte-order mark at the beginning cannot be kept.' },
]

/** Why a database would not return a string unchanged. Undefined if it would. */
export function changeInStorage(text: string): string | undefined {
  return rules.find(({ found }) => found.test(text))?.message
}

/**
 * "Cached plan must not change result type": a migration has changed a table under a planned
 * statement, which was not run.
 */
export const stalePlan = '0A000'

/** PostgreSQL, appendix A: a write to a standby, or to what has become one. */
export const readOnlyTransaction = '25006'
export const foreignKeyViolation = '23503'
export const uniqueViolation = '23505'
/** PostgreSQL, appendix A: the lock of a row was not free, or not in time. */
export const lockNotAvailable = '55P03'

/** Undefined if the database rejected the statement with this code, and so did nothing. */
export async function ignoreRejection<T>(code: string, rows: Promise<T>): Promise<T | undefined> {
  try {
    return await rows
  } catch (error) {
    if (readErrorCode(error) === code) return undefined
    throw error
  }
}

/**
 * Errors of data, constraints and concurrency, the time limits of locks and statements, and a
 * database that is read-only. 40003 means an unknown outcome.
 */
const undone = /^(?:(?:22|23|40(?!003))[0-9A-Z]{3}|25006|55P03|57014)$/

/** Whether a failed statement certainly wrote nothing. A broken connection leaves that open. */
export function wasUndone(error: unknown): boolean {
  return undone.test(readErrorCode(error) ?? '')
}
