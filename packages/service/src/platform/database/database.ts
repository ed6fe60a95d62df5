/** One SQL statement with its parameters, `$1` the first of them. */
export type Statement = { readonly sql: string; readonly params?: readonly unknown[] }

/** Statements in their order. A stream is read while they run, and so only once. */
export type Statements = readonly Statement[] | AsyncIterable<Statement>

export type Row = Readonly<Record<string, unknown>>

/**
 * A SQL database in the dialect of PostgreSQL. A transaction is a list of statements, since the
 * embedded engine has one connection, which a slow transaction would block.
 */
export type Database = {
  /** Runs one statement. Integers of 64 bits come back as bigint, timestamps as Date. */
  readonly query: <R extends Row = Row>(
    sql: string,
    params?: readonly unknown[],
  ) => Promise<readonly R[]>
  /** Runs all of them or none, without a time limit: for migrations, and to restore a backup. */
  readonly transaction: (statements: Statements) => Promise<void>
  readonly close: () => Promise<void>
}
