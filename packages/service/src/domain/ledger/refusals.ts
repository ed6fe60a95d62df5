import { readErrorCode } from '../../platform/error-code.js'

export const foreignKeyViolation = '23503'
export const uniqueViolation = '23505'
/** PostgreSQL, appendix A: the lock of a row was not free, or not in time. */
export const lockNotAvailable = '55P03'

/** Undefined when the database refused the statement with this code, and so did nothing. */
export async function unlessRefused<T>(code: string, rows: Promise<T>): Promise<T | undefined> {
  try {
    return await rows
  } catch (error) {
    if (readErrorCode(error) === code) return undefined
    throw error
  }
}

/**
 * Errors of data, constraints and concurrency, and the time limits of locks and statements. 40003
 * means an unknown outcome.
 */
const undone = /^(?:(?:22|23|40(?!003))[0-9A-Z]{3}|55P03|57014)$/

/** Whether a failed statement certainly wrote nothing. A broken connection leaves that open. */
export function wasUndone(error: unknown): boolean {
  return undone.test(readErrorCode(error) ?? '')
}
