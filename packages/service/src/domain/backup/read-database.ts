import type { Database } from '../../platform/database/database.js'
import { holdRows } from '../../platform/database/held-rows.js'
import { quoted } from '../../platform/database/quoted.js'
import { BackupError, printBackup, type BackupPart } from './backup-lines.js'
import { appliedMigrations, keptTables, leftOut, type KeptTable } from './kept-tables.js'
import { selectRecoveryPoint, type RecoveryPoint } from './recovery-point.js'

/**
 * The lines of a backup of a database in use, as it is at one moment. On PostgreSQL the database
 * must be one session.
 */
export async function* readDatabase(database: Database): AsyncGenerator<string> {
  const migrations = await appliedMigrations(database)
  if (migrations.length === 0)
    throw new BackupError(
      'The database has no tables of this service. Give its own with FAREBOX_DATABASE_URL.',
    )
  const tables = await keptTables(database)
  const held = await holdRows(database, [selectRecoveryPoint, ...tables.map(selectRows)])
  const parts = async function* (): AsyncGenerator<BackupPart> {
    for (const [place, { name, columns, isWide }] of tables.entries()) {
      yield { kind: 'table', name, columns }
      for await (const { json } of held.read<{ json: string }>(place + 1, isWide ? 16 : 1_000))
        yield { kind: 'row', json }
    }
  }
  try {
    for await (const { point } of held.read<{ point: RecoveryPoint }>(0, 1)) {
      const without = [...leftOut.columns, ...leftOut.tables]
      yield* printBackup(
        { format: 'farebox-backup', version: 1, migrations, without, point },
        parts(),
      )
    }
  } finally {
    await held.close()
  }
}

/** JSON that PostgreSQL makes has no line breaks unless it is asked for them. */
function selectRows({ name, columns }: KeptTable): string {
  return `select row_to_json(r)::text as json from (select ${columns.map(quoted).join(', ')} from ${quoted(name)}) r`
}
