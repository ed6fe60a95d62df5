import { randomUUID } from 'node:crypto'

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
  /** Runs all or none of them, without a time limit: for migrations, and to restore a backup. */
  readonly transaction: (statements: Statements) => Promise<void>
  readonly close: () => Promise<void>
}

/** Whether it takes only reads, as a standby does. */
export async function isReadOnly({ query }: Pick<Database, 'query'>): Promise<boolean> {
  const [row] = await query<{ setting: string }>(
    `select current_setting('transaction_read_only') as setting`,
  )
  return row?.setting === 'on'
}

/** The rows of several selects, as they all were at one moment. */
type HeldRows = {
  /** Reads the rows of the select at this place once, in statements of at most so many rows. */
  readonly read: <R extends Row>(place: number, atATime: number) => AsyncGenerator<R>
  /** Frees what the database keeps for them. */
  readonly close: () => Promise<void>
}

/**
 * Takes a snapshot of the rows of selects. The database copies them aside within one transaction,
 * and other statements run between the reads, also on an engine with one connection. On PostgreSQL
 * the database must be one session.
 */
export async function holdRows(database: Database, selects: readonly string[]): Promise<HeldRows> {
  const names = selects.map(() => `held_${randomUUID().replaceAll('-', '')}`)
  const nameAt = (place: number): string => {
    const name = names[place]
    if (name === undefined) throw new RangeError(`There is no select ${place}.`)
    return name
  }
  await database.transaction([
    { sql: 'set transaction isolation level repeatable read' },

    ...selects.map((select, place) => ({
      sql: `declare ${nameAt(place)} no scroll cursor with hold for ${select}`,
    })),
  ])
  return {
    read: async function* <R extends Row>(place: number, atATime: number) {
      for (;;) {
        const rows = await database.query<R>(`fetch ${atATime} from ${nameAt(place)}`)
        yield* rows
        if (rows.length < atATime) return
      }
    },
    close: async () => {
      // a session that has ended has freed them
      await Promise.allSettled(names.map((name) => database.query(`close ${name}`)))
    },
  }
}
