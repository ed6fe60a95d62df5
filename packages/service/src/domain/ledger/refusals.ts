export const foreignKeyViolation = '23503'
export const uniqueViolation = '23505'

/** Undefined when the database refused the statement for this reason, and so did nothing. */
export async function unlessRefused<T>(code: string, rows: Promise<T>): Promise<T | undefined> {
  try {
    return await rows
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === code) return undefined
    throw error
  }
}

/** Data, a constraint, or another statement was in the way: the database undid the whole statement. 40003 says that it does not know. */
const undone = /^(22|23|40(?!003))[0-9A-Z]{3}$/

/** Whether it is sure that a statement that failed wrote nothing. A broken connection leaves that open. */
export function wasUndone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && undone.test(error.code)
}
