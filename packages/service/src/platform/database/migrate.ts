import { readErrorCode } from '../error-code.js'
import type { Database } from './database.js'
import { migrations as all, type Migration } from './migrations.js'
import { describeError, StorageError } from './storage-error.js'

/** Serializes migrations of processes that start at the same time. */
const lock = { sql: `select pg_advisory_xact_lock(hashtext('farebox migrations'))` }

/**
 * Migrates the schema, one transaction a step. Rejects with a StorageError for the schema of a
 * newer program, and for a database that refuses the changes.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = all,
): Promise<void> {
  try {
    await bringUpToDate(database, migrations)
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    throw new StorageError(
      `The tables of the database cannot be brought up to date: ${describeError(cause)}. Let its user make and change tables, restore it from a backup, or use another one.`,
      { cause },
    )
  }
}

async function bringUpToDate(database: Database, migrations: readonly Migration[]): Promise<void> {
  await database.transaction([
    lock,
    { sql: 'create table if not exists migration (id integer primary key, name text not null)' },
  ])
  const applied = await appliedSteps(database)
  const unknown = unknownSteps(applied, migrations)
  if (unknown.length > 0) {
    throw new StorageError(
      `The database has migration ${unknown.join(', ')}, this program knows up to ${migrations.at(-1)?.id ?? 0}. Run the newer program.`,
    )
  }
  for (const { id, name, statements } of migrations.filter((step) => !applied.includes(step.id))) {
    // the row comes first: it conflicts if another process has applied the step
    try {
      const claim = { sql: 'insert into migration (id, name) values ($1, $2)', params: [id, name] }
      await database.transaction([lock, claim, ...statements.map((sql) => ({ sql }))])
    } catch (error) {
      if (
        readErrorCode(error) !== '23505' ||
        (error as { readonly table?: string }).table !== 'migration'
      )
        throw error
    }
  }
}

/** The ids of the steps of a database that has the table of them, in order. */
export async function appliedSteps(database: Database): Promise<readonly number[]> {
  return (await database.query<{ id: number }>('select id from migration order by id')).map(
    ({ id }) => id,
  )
}

/** The steps of a newer program. */
export function unknownSteps(
  applied: readonly number[],
  migrations: readonly Migration[],
): readonly number[] {
  return applied.filter((id) => !migrations.some((step) => step.id === id))
}
