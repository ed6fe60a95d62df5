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
