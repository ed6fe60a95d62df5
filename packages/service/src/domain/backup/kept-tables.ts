import type { Database } from '../../platform/database/database.js'
import { appliedSteps } from '../../platform/database/migrate.js'
import { migrations } from '../../platform/database/migrations.js'

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
 * What a backup leaves out: finished videos, which may be 512 MiB each and are kept for a day, as
 * images are, the leases of processes, which end with them, and the list of migrations, which its head has.
 */
export const leftOut = {
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
export async function keptTables(database: Database): Promise<readonly KeptTable[]> {
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
export async function appliedMigrations(database: Database): Promise<readonly number[]> {
  const [found] = await database.query(
    `select from pg_class where relnamespace = current_schema()::regnamespace and relname = 'migration'`,
  )
  return found ? (await appliedSteps(database)).map(({ id }) => id) : []
}
