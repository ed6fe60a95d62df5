import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { migrations, type Migration } from '../../platform/database/migrations.js'
import { quoted } from '../../platform/database/quoted.js'
import { auditLedger } from '../ledger/audit.js'
import type { LedgerFault } from '../ledger/audit.js'
import { BackupError, parseBackup, type BackupHead, type BackupPart } from './backup-lines.js'
import { fillDatabase } from './fill-database.js'
import { appliedMigrations, keptTables } from './kept-tables.js'

/** Reads a backup from its beginning, each time. */
export type Lines = () => AsyncIterable<string>

/**
 * Reads all of a backup. Rejects with a BackupError for one that was cut off or changed, or that a
 * newer program made.
 */
export async function checkBackup(lines: Lines): Promise<BackupHead> {
  let head: BackupHead | undefined
  for await (const part of parseBackup(lines())) if ('format' in part) head = part
  if (head === undefined) throw new BackupError('The backup is empty.')
  const known = migrations.map(({ id }) => id)
  const unknown = head.migrations.filter((id) => !known.includes(id))
  if (unknown.length === 0) return head
  throw new BackupError(
    `The backup has migration ${unknown.join(', ')}, this program knows up to ${known.at(-1) ?? 0}. Run the newer program.`,
  )
}

/** Whether a database of the newest schema has the tables of the backup. */
export function isNewest({ migrations: applied }: BackupHead): boolean {
  return applied.length === migrations.length
}

/**
 * Writes a checked backup into an empty database, brings its tables up to date, and audits the
 * ledger. Rejects with a BackupError for a database that is not empty, which it leaves as it was.
 */
export async function restoreBackup(
  database: Database,
  head: BackupHead,
  lines: Lines,
  steps: readonly Migration[] = migrations,
): Promise<readonly LedgerFault[]> {
  await refuseUsed(database, head)
  await migrate(
    database,
    steps.filter(({ id }) => head.migrations.includes(id)),
  )
  await fillDatabase(database, readBody(lines()))
  await migrate(database, steps)
  return auditLedger(database)
}

async function refuseUsed(database: Database, head: BackupHead): Promise<void> {
  for (const { name } of await keptTables(database)) {
    const [row] = await database.query(`select from ${quoted(name)} limit 1`)
    if (row)
      throw new BackupError(
        `The database is not empty: its table ${name} has rows. Give an empty one with --data or --database-url.`,
      )
  }
  const newer = (await appliedMigrations(database)).filter((id) => !head.migrations.includes(id))
  if (newer.length === 0) return
  throw new BackupError(
    `The database has migration ${newer.join(', ')}, which is newer than the backup. Give a new one with --data or --database-url.`,
  )
}

async function* readBody(lines: AsyncIterable<string>): AsyncGenerator<BackupPart> {
  for await (const part of parseBackup(lines)) if (!('format' in part)) yield part
}
