import { randomUUID } from 'node:crypto'
import type { Database, Row } from './database.js'

/** The rows of several selects, as they all were at one moment. */
export type HeldRows = {
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
