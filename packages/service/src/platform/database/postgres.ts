import { codeOf } from '../code-of.js'
import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Database, Row } from './database.js'
import { DatabaseUnreachableError } from './storage-error.js'

/** Serialization failure and deadlock: the database undid the statement, so it is retried. */
const undone: ReadonlySet<unknown> = new Set(['40001', '40P01'])
const attempts = 5

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, (text) => BigInt(text))

/**
 * Connects to PostgreSQL, which several processes may share. An idle connection that breaks is
 * replaced. A statement on a broken connection rejects, and its outcome is unknown.
 */
export async function openPostgres(url: string, { connections = 10 }: { readonly connections?: number } = {}): Promise<Database> {
  const pool = new pg.Pool({ connectionString: url, max: connections, types, connectionTimeoutMillis: 10_000 })
  // the pool replaces idle connections that break
  pool.on('error', () => undefined)
  try {
    await pool.query('select 1')
  } catch (error) {
    await pool.end()
    throw unreachable(url, error)
  }
  return {
    query: <R extends Row>(sql: string, params: readonly unknown[] = []) => untilDone(() => prepared<R>(pool, sql, params)),
    transaction: (statements) =>
      untilDone(async () => {
        const client = await pool.connect()
        let failure: Error | undefined
        try {
          await client.query('begin')
          for (const { sql, params = [] } of statements) await client.query(sql, [...params])
          await client.query('commit')
        } catch (error) {
          failure = error instanceof Error ? error : new Error(String(error))
          await client.query('rollback').catch(() => undefined)
          throw error
        } finally {
          client.release(failure !== undefined && !('code' in failure))
        }
      }),
    close: () => pool.end(),
  }
}

/**
 * Plans each statement once a connection, since planning takes longer than charging. A plan that a
 * migration of a newer program has invalidated is not used.
 */
async function prepared<R extends Row>(pool: pg.Pool, sql: string, params: readonly unknown[]): Promise<readonly R[]> {
  try {
    return (await pool.query<R>({ name: nameOf(sql), text: sql, values: [...params] })).rows
  } catch (error) {
    if (codeOf(error) !== stalePlan) throw error
    return (await pool.query<R>(sql, [...params])).rows
  }
}

/** "Cached plan must not change result type": the statement was not run. */
const stalePlan = '0A000'

const names = new Map<string, string>()

function nameOf(sql: string): string {
  const known = names.get(sql)
  if (known !== undefined) return known
  const name = createHash('sha256').update(sql).digest('base64url').slice(0, 24)
  names.set(sql, name)
  return name
}

async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !undone.has(codeOf(error))) throw error
    }
  }
}

function unreachable(url: string, cause: unknown): DatabaseUnreachableError {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: 'the host of the URL', pathname: '' }
  const reason = cause instanceof Error ? cause.message || codeOf(cause) : String(cause)
  return new DatabaseUnreachableError(
    `The database ${pathname.slice(1)} at ${host} cannot be used: ${reason}. Start it, or mend --database-url (postgres://USER:PASSWORD@HOST:PORT/NAME).`,
  )
}
