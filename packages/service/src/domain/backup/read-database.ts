import { type Database, holdRows } from '../../platform/database/database.js'
import { readAppliedSteps } from '../../platform/database/migrate.js'
import { migrations } from '../../platform/database/migrations.js'
import {
  BackupError,
  printBackup,
  type BackupPart,
  selectRecoveryPoint,
  type RecoveryPoint,
} from './backup-file.js'

/**
 * The lines of a backup of a database in use, as it is at one moment. On PostgreSQL the database
 * must be one session.
 */
export async function* readDatabase(database: Database): AsyncGenerator<string> {
  const migrations = await listAppliedMigrations(database)
  if (migrations.length === 0)
    throw new BackupError(
      'The database has no tables of this service. Give its own with FAREBOX_DATABASE_URL.',
    )
  const tables = await listKeptTables(database)
  const rows = await holdRows(database, [selectRecoveryPoint, ...tables.map(selectRows)])
  const parts = async function* (): AsyncGenerator<BackupPart> {
    for (const [place, { name, columns, isWide }] of tables.entries()) {
      yield { kind: 'table', name, columns }
      for await (const { json } of rows.read<{ json: string }>(place + 1, isWide ? 16 : 1_000))
        yield { kind: 'row', json }
    }
  }
  try {
    for await (const { point } of rows.read<{ point: RecoveryPoint }>(0, 1)) {
      const without = [...leftOut.columns, ...leftOut.tables]
      yield* printBackup(
        { format: 'farebox-backup', version: 1, migrations, without, point },
        parts(),
      )
    }
  } finally {
    await rows.close()
  }
}

/** JSON that PostgreSQL makes has no line breaks unless it is asked for them. */
function selectRows({ name, columns }: KeptTable): string {
  return `select row_to_json(r)::text as json from (select ${columns.map(quoteName).join(', ')} from ${quoteName(name)}) r`
}

/** A table whose rows a backup has. */
export type KeptTable = {
  readonly name: string
  readonly columns: readonly string[]
  /** Columns whose values a sequence makes. */
  readonly identities: readonly string[]
  /** Foreign keys of the table, by name: what `add constraint` takes. */
  readonly references: Readonly<Record<string, string>>
  /** Whether one row may have a quarter of a MiB. */
  readonly isWide: boolean
}

/**
 * Left out of a backup: finished videos, which may be 512 MiB each and are kept for a day, like
 * images; leases, which end with their process; and the list of migrations, which is in the head.
 */
const leftOut = {
  columns: ['video_job.media'],
  tables: ['generated_image', 'process', 'migration'],
} as const

/** All tables of all migrations: the schema may have tables of other programs too. */
const ours = new Set(
  migrations
    .flatMap(({ statements }) => statements)
    .flatMap(
      (sql) => /^\s*create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(sql)?.[1] ?? [],
    ),
)

/**
 * The tables of this database that a backup keeps, by name. An unlogged table is left out: its
 * rows may be lost at any time.
 */
export async function listKeptTables(database: Database): Promise<readonly KeptTable[]> {
  const rows = await database.query<KeptTable>(
    `select c.relname as name,
       array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
         and not (c.relname || '.' || attname = any ($1)) order by attnum) as columns,
       array(select attname::text from pg_attribute where attrelid = c.oid and attidentity <> '') as identities,
       coalesce((select json_object_agg(conname, pg_get_constraintdef(oid)) from pg_constraint where conrelid = c.oid and contype = 'f'), '{}')
         as references,
       exists (select from pg_attribute where attrelid = c.oid and attstorage = 'e') as "isWide"
     from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p' and not c.relname = any ($2)
     order by c.relname`,
    [leftOut.columns, leftOut.tables],
  )
  return rows.filter(({ name }) => ours.has(name))
}

/** The ids of the migrations that a database has, in order. Empty for a new database. */
export async function listAppliedMigrations(database: Database): Promise<readonly number[]> {
  const [row] = await database.query(
    `select from pg_class where relnamespace = current_schema()::regnamespace and relname = 'migration'`,
  )
  return row ? (await readAppliedSteps(database)).map(({ id }) => id) : []
}

/** The name of a table, column or constraint, as SQL takes any of them. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
