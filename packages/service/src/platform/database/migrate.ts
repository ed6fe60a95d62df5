import { createHash } from 'node:crypto'
import { readErrorCode } from '../unknown-value.js'
import type { Database } from './database.js'
import { migrations as all, type Migration } from './migrations.js'
import { describeError, StorageError } from './storage-error.js'

/**
 * Serializes migrations of processes that start at the same time. Where an engine has no such lock,
 * their statements conflict, and the step of the first counts.
 */
const lock = { sql: `select pg_advisory_xact_lock(hashtext('farebox migrations'))` }

/**
 * Migrates the schema, one transaction a step. A database that has all steps is only read, so that
 * it may be a standby. Rejects with a StorageError for the schema of a
 * newer program or of another build, and for a database that rejects the changes.
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
  const [known] = await database.query<{ name: string | null }>(
    `select to_regclass('migration')::text as name`,
  )
  if (known?.name != null && (await findPendingSteps(database, migrations)).length === 0) return
  const table = {
    sql: 'create table if not exists migration (id integer primary key, name text not null, digest text)',
  }
  await database.transaction([lock, table]).catch(async (error: unknown) => {
    // another process was creating it; this names its fault if that was another one
    if (!isConflict(error)) throw error
    await database.query(table.sql)
  })
  for (const step of await findPendingSteps(database, migrations)) {
    const { id, name, statements } = step
    // the row comes first: it conflicts if another process has applied the step
    try {
      const claim = {
        sql: 'insert into migration (id, name, digest) values ($1, $2, $3)',
        params: [id, name, hashStatements(step)],
      }
      await database.transaction([lock, claim, ...statements.map((sql) => ({ sql }))])
    } catch (error) {
      if (!isConflict(error) || (error as { readonly table?: string }).table !== 'migration')
        throw error
    }
  }
}

/** Rejects if the database has another step than this program. */
async function findPendingSteps(
  database: Database,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  const applied = await readAppliedSteps(database)
  const unknown = findUnknownSteps(applied, migrations)
  if (unknown.length > 0) {
    throw new StorageError(
      `The database has migration ${unknown.join(', ')}, this program knows up to ${migrations.at(-1)?.id ?? 0}. Run the newer program.`,
    )
  }
  const [changed] = findChangedSteps(applied, migrations)
  if (changed !== undefined) {
    throw new StorageError(
      `The database was made by another build of this program: migration ${changed} is not the same. Run that build, or use an empty database: until the first release, a change of the schema edits its migration.`,
    )
  }
  const done = new Set(applied.map(({ id }) => id))
  return migrations.filter(({ id }) => !done.has(id))
}

/** Whether another process has inserted the row, or created the table or its row type. */
function isConflict(error: unknown): boolean {
  return ['23505', '42P07', '42710'].includes(readErrorCode(error) ?? '')
}

/** A step of a database. The digest is that of its statements. */
export type AppliedStep = { readonly id: number; readonly digest: string | null }

/** The steps of a database that has the table of them, in order. */
export async function readAppliedSteps(database: Database): Promise<readonly AppliedStep[]> {
  // an early table has no such column
  return database.query<AppliedStep>(
    `select id, to_jsonb(migration) ->> 'digest' as digest from migration order by id`,
  )
}

/** The ids of the steps whose statements were others when the database applied them. */
export function findChangedSteps(
  applied: readonly AppliedStep[],
  migrations: readonly Migration[],
): readonly number[] {
  return migrations
    .filter((step) =>
      applied.some(({ id, digest }) => id === step.id && digest !== hashStatements(step)),
    )
    .map(({ id }) => id)
}

function hashStatements({ statements }: Migration): string {
  return createHash('sha256').update(statements.join(';\n')).digest('hex')
}

/** The steps of a newer program. */
export function findUnknownSteps(
  applied: readonly AppliedStep[],
  migrations: readonly Migration[],
): readonly number[] {
  return applied.map(({ id }) => id).filter((id) => !migrations.some((step) => step.id === id))
}
