/** The `code` of an error of Node or of a database. Undefined for other errors. */
export function readErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
