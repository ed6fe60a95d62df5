import { readErrorCode } from '../error-code.js'

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
    super(`The database does not answer at the moment: ${cause.message || readErrorCode(cause)}`, { cause })
    this.code = readErrorCode(cause)
  }
}

/**
 * PostgreSQL's classes 08 (connection), 53 (resources) and 57 (operator), a lock that was not free
 * in time, and a transaction that was ended as it was idle (PostgreSQL, appendix A).
 */
const unavailable = /^(?:(?:08|53|57)[0-9A-Z]{3}|55P03|25P03|ECONN\w+|E(?:HOST|NET)UNREACH|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/

/** The driver gives its own errors, such as "Connection terminated unexpectedly", no code. */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = readErrorCode(error)
  return (code === undefined ? error.name === 'Error' : unavailable.test(code)) ? new DatabaseUnavailableError(error) : error
}
