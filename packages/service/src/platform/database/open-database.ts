import { runInSpan } from '../telemetry/spans.js'
import type { Database } from './database.js'

export type DatabaseOptions = {
  /**
   * Folder of the embedded database, locked until it is closed. Without it the database is in
   * memory.
   */
  readonly data?: string
  /** A PostgreSQL in place of the embedded database. */
  readonly databaseUrl?: string
  /**
   * Removes the time limits of statements on PostgreSQL. Default: at most 10 s, and 1 s for a lock.
   */
  readonly unhurried?: boolean
  /** Gives a new folder no tables, for a schema that is not the newest. Default: false. */
  readonly isBare?: boolean
  /** One connection to PostgreSQL until `close`, for what belongs to a session. Default: a pool. */
  readonly oneSession?: boolean
}

/** Opens a database and loads only its driver. */
export async function openDatabase({
  data,
  databaseUrl,
  unhurried,
  isBare = false,
  oneSession,
}: DatabaseOptions): Promise<Database> {
  if (databaseUrl === undefined) return (await import('./pglite.js')).openPglite(data, { isBare })
  const session = oneSession === undefined ? {} : { oneSession }
  const patience = unhurried === true ? { lockMs: 0, statementMs: 0 } : {}
  return (await import('./postgres.js')).openPostgres(databaseUrl, { ...session, ...patience })
}

/**
 * A database whose statements are spans, below the span that is active. A span contains a summary
 * of its statement, without parameters.
 */
export function traceDatabase(database: Database): Database {
  const describeSpan = (summary: string) => ({
    name: summary,
    kind: 'client' as const,
    attributes: { 'db.system.name': 'postgresql', 'db.query.summary': summary },
  })
  return {
    ...database,
    query: (sql, params) =>
      runInSpan(describeSpan(summarizeSql(sql)), () => database.query(sql, params)),
    transaction: (statements) =>
      runInSpan(describeSpan('TRANSACTION'), () => database.transaction(statements)),
  }
}

const summaries = new Map<string, string>()
/** A bound, since statements that are made at run time are unlimited. */
const most = 1_000

/** What a statement does to which tables, such as `UPDATE account INSERT entry`. */
export function summarizeSql(sql: string): string {
  const known = summaries.get(sql)
  if (known !== undefined) return known
  const summary = summarize(sql)
  if (summaries.size < most) summaries.set(sql, summary)
  return summary
}

const change =
  /\b(insert)\s+into\s+(\w+)|\b(delete)\s+from\s+(\w+)|(?<!for |key )\b(update)\s+(?!set\b)(\w+)/gi
const reading = /\bfrom\s+(\w+)/i

/** The changes of the statement. One that changes nothing is named by the first table it reads. */
function summarize(sql: string): string {
  const changes = [...sql.matchAll(change)].map((match) => {
    const [verb = '', table = ''] = match.slice(1).filter((part) => part !== undefined)
    return `${verb.toUpperCase()} ${table}`
  })
  if (changes.length > 0) return [...new Set(changes)].join(' ').slice(0, 200)
  const [, table] = reading.exec(sql) ?? []
  const [verb = ''] = /\w+/.exec(sql) ?? []
  return table === undefined ? verb.toUpperCase() : `SELECT ${table}`
}
