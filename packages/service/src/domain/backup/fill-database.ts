import type { Database, Statement } from '../../platform/database/database.js'
import { quoted } from '../../platform/database/quoted.js'
import { BackupError, type BackupPart } from './backup-lines.js'
import { keptTables, type KeptTable } from './kept-tables.js'

/** Rows of one statement: a text of at most about 4 MiB. */
const most = { rows: 1_000, characters: 4 * 1024 * 1024 }

/**
 * Writes the rows of a backup into empty tables of the same schema, in one transaction. Rejects
 * with a BackupError for tables that differ.
 */
export async function fillDatabase(
  database: Database,
  parts: AsyncIterable<BackupPart>,
): Promise<void> {
  const tables = new Map((await keptTables(database)).map((table) => [table.name, table]))
  await database.transaction(statements(tables, parts))
}

async function* statements(
  tables: ReadonlyMap<string, KeptTable>,
  parts: AsyncIterable<BackupPart>,
): AsyncGenerator<Statement> {
  const all = [...tables.values()]
  // what refers to a later row could not be written, and a trigger would change what is written
  for (const { name, references } of all) {
    for (const key of Object.keys(references))
      yield { sql: `alter table ${quoted(name)} drop constraint ${quoted(key)}` }
    yield { sql: `alter table ${quoted(name)} disable trigger user` }
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
      table = sameTable(tables, part)
      continue
    }
    rows.push(part.json)
    characters += part.json.length
    if (rows.length === most.rows || characters >= most.characters) yield* waiting()
  }
  yield* waiting()
  for (const { name, identities } of all) {
    for (const column of identities) yield nextAfterLast(name, column)
  }
  for (const { name, references } of all) {
    for (const [key, definition] of Object.entries(references)) {
      yield { sql: `alter table ${quoted(name)} add constraint ${quoted(key)} ${definition}` }
    }
    yield { sql: `alter table ${quoted(name)} enable trigger user` }
  }
}

function sameTable(
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
  const list = columns.map(quoted).join(', ')
  return {
    sql: `insert into ${quoted(name)} (${list}) overriding system value
      select ${list} from json_populate_recordset(null::${quoted(name)}, $1::text::json)`,
    params: [`[${rows.join(',')}]`],
  }
}

function nextAfterLast(table: string, column: string): Statement {
  return {
    sql: `select setval(pg_get_serial_sequence('${quoted(table)}', '${column}'), coalesce(max(${quoted(column)}), 0) + 1, false) from ${quoted(table)}`,
  }
}
