import { codeOf } from '../code-of.js'
import type { Database } from './database.js'
import { migrations as all, type Migration } from './migrations.js'
import { reasonOf, StorageError } from './storage-error.js'

/** Serializes migrations of processes that start at the same time. */
const lock = { sql: `select pg_advisory_xact_lock(hashtext('farebox migrations'))` }

/**
 * Migrates the schema, one transaction a step. Rejects with a StorageError for a database of a
 * newer program, and for one that refuses the changes.
 */
export async function migrate(database: Database, migrations: readonly Migration[] = all): Promise<void> {
  try {
    await bringUpToDate(database, migrations)
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    throw new StorageError(
      `The tables of the database cannot be brought up to date: ${reasonOf(cause)}. Let its user make and change tables, restore it from a backup, or use another one.`,
      { cause },
    )
  }
}

async function bringUpToDate(database: Database, migrations: readonly Migration[]): Promise<void> {
  await database.transaction([
    lock,
    { sql: 'create table if not exists migration (id integer primary key, name text not null, applied_at timestamptz not null)' },
  ])
  const applied = new Set((await database.query<{ id: number }>('select id from migration')).map(({ id }) => id))
  const unknown = [...applied].filter((id) => !migrations.some((migration) => migration.id === id))
  if (unknown.length > 0) {
    throw new StorageError(
      `The database has migration ${unknown.join(', ')}, this program knows up to ${migrations.at(-1)?.id ?? 0}. Run the newer program.`,
    )
  }
  for (const { id, name, statements } of migrations.filter((migration) => !applied.has(migration.id))) {
    // the row comes first: it conflicts if another process has applied the step
    const claim = { sql: 'insert into migration (id, name, applied_at) values ($1, $2, now())', params: [id, name] }
    try {
      await database.transaction([lock, claim, ...statements.map((sql) => ({ sql }))])
    } catch (error) {
      if (codeOf(error) !== '23505' || (error as { readonly table?: string }).table !== 'migration') throw error
    }
  }
}
