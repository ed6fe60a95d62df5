import { codeOf } from '../code-of.js'
import type { Database, Statement } from './database.js'
import { migrations as all, tolerance, type Migration } from './migrations.js'
import { reasonOf, StorageError } from './storage-error.js'

/** Serializes migrations of processes that start at the same time. */
const lock = { sql: `select pg_advisory_xact_lock(hashtext('farebox migrations'))` }

/**
 * Migrates the schema, one transaction a step. Takes the schema of a newer program whose steps only
 * add to what this one knows. Rejects with a StorageError for any other newer one, and for a
 * database that refuses the changes.
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
  const applied = await appliedSteps(database)
  const unknown = unknownSteps(applied, migrations).filter(({ isTolerated }) => !isTolerated)
  if (unknown.length > 0) {
    throw new StorageError(
      `The database has migration ${unknown.map(({ id }) => id).join(', ')}, this program knows up to ${migrations.at(-1)?.id ?? 0}. Run the newer program.`,
    )
  }
  const isApplied = (step: Migration) => applied.some(({ id }) => id === step.id)
  for (const step of migrations.filter((one) => !isApplied(one))) {
    const { id, statements } = step
    // the row comes first: it conflicts if another process has applied the step
    try {
      await database.transaction([lock, claimOf(step), ...statements.map((sql) => ({ sql }))])
    } catch (error) {
      if (codeOf(error) !== '23505' || (error as { readonly table?: string }).table !== 'migration') throw error
    }
  }
}

/** `worksFrom`: null where the step says nothing of older programs. */
export type AppliedStep = { readonly id: number; readonly worksFrom: number | null }

/** The steps of a database that has the table of them, in their order. */
export function appliedSteps(database: Database): Promise<readonly AppliedStep[]> {
  // the column is younger than the table
  return database.query(`select id, (to_jsonb(m) ->> 'works_from')::integer as "worksFrom" from migration m order by id`)
}

/** The steps of a newer program, and whether a program with these migrations runs on them. */
export function unknownSteps(
  applied: readonly AppliedStep[],
  migrations: readonly Migration[],
): readonly { readonly id: number; readonly isTolerated: boolean }[] {
  const newest = migrations.at(-1)?.id ?? 0
  return applied
    .filter(({ id }) => !migrations.some((migration) => migration.id === id))
    .map(({ id, worksFrom }) => ({ id, isTolerated: worksFrom !== null && worksFrom <= newest }))
}

function claimOf({ id, name, worksFrom = tolerance }: Migration): Statement {
  if (id <= tolerance) return { sql: 'insert into migration (id, name, applied_at) values ($1, $2, now())', params: [id, name] }
  return { sql: 'insert into migration (id, name, applied_at, works_from) values ($1, $2, now(), $3)', params: [id, name, worksFrom] }
}
