import type { Database, Statement } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { migrations, type Migration } from '../../platform/database/migrations.js'
import { auditLedger, type LedgerFault } from '../ledger/audit.js'
import { BackupError, parseBackup, type BackupHead, type BackupPart } from './backup-file.js'
import {
  quoteName,
  listAppliedMigrations,
  listKeptTables,
  type KeptTable,
} from './read-database.js'

/** Reads a backup from its beginning, each time. */
type Lines = () => AsyncIterable<string>

/**
 * Reads a whole backup. Rejects with a BackupError if it was truncated or changed, or was made by a
 * newer program.
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
  await rejectUsedDatabase(database, head)
  await migrate(
    database,
    steps.filter(({ id }) => head.migrations.includes(id)),
  )
  await fillDatabase(database, readBody(lines()))
  await migrate(database, steps)
  return auditLedger(database)
}

async function rejectUsedDatabase(database: Database, head: BackupHead): Promise<void> {
  for (const { name } of await listKeptTables(database)) {
    const [row] = await database.query(`select from ${quoteName(name)} limit 1`)
    if (row)
      throw new BackupError(
        `The database is not empty: its table ${name} has rows. Give an empty one with --data or --database-url.`,
      )
  }
  const newer = (await listAppliedMigrations(database)).filter(
    (id) => !head.migrations.includes(id),
  )
  if (newer.length === 0) return
  throw new BackupError(
    `The database has migration ${newer.join(', ')}, which is newer than the backup. Give a new one with --data or --database-url.`,
  )
}

async function* readBody(lines: AsyncIterable<string>): AsyncGenerator<BackupPart> {
  for await (const part of parseBackup(lines)) if (!('format' in part)) yield part
}

/** Rows of one statement, of at most about 4 MiB. */
const most = { rows: 1_000, characters: 4 * 1024 * 1024 }

/**
 * Writes the rows of a backup into empty tables of the same schema, in one transaction. Rejects
 * with a BackupError for tables that differ.
 */
async function fillDatabase(database: Database, parts: AsyncIterable<BackupPart>): Promise<void> {
  const tables = new Map((await listKeptTables(database)).map((table) => [table.name, table]))
  await database.transaction(generateStatements(tables, parts))
}

async function* generateStatements(
  tables: ReadonlyMap<string, KeptTable>,
  parts: AsyncIterable<BackupPart>,
): AsyncGenerator<Statement> {
  const all = [...tables.values()]
  // what refers to a later row could not be written, and a trigger would change what is written
  for (const { name, references } of all) {
    for (const key of Object.keys(references))
      yield { sql: `alter table ${quoteName(name)} drop constraint ${quoteName(key)}` }
    yield { sql: `alter table ${quoteName(name)} disable trigger user` }
  }
  let table: KeptTable | undefined
  let [rows, characters]: [string[], number] = [[], 0]
  const waiting = function* (): Generator<Statement> {
    if (table !== undefined && rows.length > 0) yield insertInto(table, rows)
    ;[rows, characters] = [[], 0]
  }
  for await (const part of parts) {
    if (part.kind === 'table') {
      yield* waiting()
      table = findSameTable(tables, part)
      continue
    }
    rows.push(part.json)
    characters += part.json.length
    if (rows.length === most.rows || characters >= most.characters) yield* waiting()
  }
  yield* waiting()
  for (const { name, identities } of all) {
    for (const column of identities) yield advanceSequence(name, column)
  }
  for (const { name, references } of all) {
    for (const [key, definition] of Object.entries(references)) {
      yield { sql: `alter table ${quoteName(name)} add constraint ${quoteName(key)} ${definition}` }
    }
    yield { sql: `alter table ${quoteName(name)} enable trigger user` }
  }
}

function findSameTable(
  tables: ReadonlyMap<string, KeptTable>,
  { name, columns }: { name: string; columns: readonly string[] },
): KeptTable {
  const table = tables.get(name)
  if (table !== undefined && [...table.columns].sort().join() === [...columns].sort().join())
    return table
  throw new BackupError(
    `The table ${name} of the backup has other columns than this database. Restore it into a new database.`,
  )
}

function insertInto({ name, columns }: KeptTable, rows: readonly string[]): Statement {
  const list = columns.map(quoteName).join(', ')
  return {
    sql: `insert into ${quoteName(name)} (${list}) overriding system value
      select ${list} from json_populate_recordset(null::${quoteName(name)}, $1::text::json)`,
    params: [`[${rows.join(',')}]`],
  }
}

function advanceSequence(table: string, column: string): Statement {
  return {
    sql: `select setval(pg_get_serial_sequence('${quoteName(table)}', '${column}'), coalesce(max(${quoteName(column)}), 0) + 1, false) from ${quoteName(table)}`,
  }
}
