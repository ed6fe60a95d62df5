import { createHash } from 'node:crypto'
import pg from 'pg'
import { readErrorCode } from '../unknown-value.js'
import { timeLimit } from '../time.js'
import { readDatabaseUrl, urlForm, type DatabaseUrl } from './database-url.js'
import type { Database, Row } from './database.js'
import { openHosts, type Hosts } from './hosts.js'
import { isBehindPooler, isRejectedByPooler, needsSession, requireSettings } from './pooler.js'
import {
  toUnavailable,
  readOnlyTransaction,
  stalePlan,
  DatabaseUnreachableError,
  StorageError,
} from './storage-error.js'

/** Serialization failure and deadlock: the database undid the statement, so it is retried. */
const undone: ReadonlySet<unknown> = new Set(['40001', '40P01'])
const attempts = 5

/** Of `integer[]`, in PostgreSQL's table `pg_type`. */
const integerArray = 1007

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, (text) => BigInt(text))
// the driver would make it midnight in the time zone of this machine
types.setTypeParser(pg.types.builtins.DATE, (text) => text)
// the driver takes ten times as long; no column has an array with null
types.setTypeParser(integerArray, (text) => JSON.parse(`[${text.slice(1, -1)}]`) as unknown)

/** Limits of the pool. Times are in milliseconds, and 0 stands for no limit. */
export type PostgresLimits = {
  /** The most connections at a time. Default: 10. */
  readonly connections?: number
  /** An idle connection is closed after this time. Default: 10,000. */
  readonly idleMs?: number
  /** The longest wait for a free connection, or for a new one. Default: 5,000. */
  readonly connectMs?: number
  /** The longest wait for a row that another statement has locked. Default: 1,000. */
  readonly lockMs?: number
  /** The longest run of a statement. Default: 10,000. */
  readonly statementMs?: number
  /** One connection until `close`, which no pooler may share out. Default: false. */
  readonly oneSession?: boolean
}

/** A server that is silent for this much longer than the limit of a statement has failed. */
const silentMs = 2_000

/**
 * Connects to PostgreSQL, which several processes may share, also through a pooler. An idle
 * connection that breaks is replaced, by one to another host of the URL if need be. A statement on
 * a broken connection rejects, and its outcome is unknown. What a later attempt may do rejects with
 * a DatabaseUnavailableError.
 */
export async function openPostgres(url: string, limits: PostgresLimits = {}): Promise<Database> {
  const { oneSession = false } = limits
  const {
    connections = oneSession ? 1 : 10,
    idleMs = oneSession ? 0 : 10_000,
    connectMs = timeLimit(5_000),
    lockMs = timeLimit(1_000),
    statementMs = timeLimit(10_000),
  } = limits
  const address = readDatabaseUrl(url)
  if (!address) throw new StorageError(`The URL of the database: ${urlForm}.`)
  const pool = {
    max: connections,
    types,
    keepAlive: true,
    idleTimeoutMillis: idleMs,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs && statementMs + silentMs,
  }
  const session = {
    options: '-c timezone=UTC',
    lock_timeout: lockMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: statementMs,
  }
  let hosts = openHosts(address, { ...pool, ...session })
  let isPooled: boolean
  try {
    isPooled = await hosts.use(isBehindPooler).catch(async (error: unknown) => {
      if (!isRejectedByPooler(error)) throw error
      await hosts.end()
      hosts = openHosts(address, pool)
      return hosts.use(isBehindPooler)
    })
    if (isPooled && oneSession) throw new StorageError(needsSession)
    if (isPooled) await hosts.use((client) => requireSettings(client, { lockMs, statementMs }))
  } catch (error) {
    await hosts.end()
    throw error instanceof StorageError ? error : createUnreachableError(address, error)
  }
  return {
    query: <R extends Row>(sql: string, params: readonly unknown[] = []) =>
      retryUndone(() => queryPrepared<R>(hosts, sql, params, isPooled)),
    transaction: (statements) => {
      const run = () =>
        hosts.use(async (client) => {
          try {
            await client.query('begin; set local lock_timeout = 0; set local statement_timeout = 0')
            for await (const { sql, params = [] } of statements) {
              const statement = { text: sql, values: [...params], query_timeout: unlimited }
              await client.query(statement)
            }
            await client.query('commit')
          } catch (error) {
            await client.query('rollback').catch(() => undefined)
            throw error
          }
        })
      // a stream is used up by its first attempt
      return retryUndone(run, Array.isArray(statements) ? attempts : 1)
    },
    close: hosts.end,
  }
}

/** The driver takes 0 for its default. */
const unlimited = 2 ** 31 - 1

/**
 * Plans each statement once a connection, since planning takes longer than charging. A plan that a
 * migration of a newer program has invalidated is not used. Behind a pooler, the next statement of
 * a connection may meet a server that has no such plan.
 */
async function queryPrepared<R extends Row>(
  hosts: Hosts,
  sql: string,
  params: readonly unknown[],
  isPooled: boolean,
): Promise<readonly R[]> {
  const values = [...params]
  const plain = () => hosts.use((client) => client.query<R>(sql, values), isRejectedOnly)
  if (isPooled) return (await plain()).rows
  const query = { name: nameStatement(sql), text: sql, values }
  try {
    return (await hosts.use((client) => client.query<R>(query), isRejectedOnly)).rows
  } catch (error) {
    if (readErrorCode(error) !== stalePlan) throw error
    return (await plain()).rows
  }
}

/**
 * Whether the server only rejected the statement, for a lock that is not free or the like. The
 * connection of a plan that is stale has it still, and one that is read-only is of a standby.
 */
function isRejectedOnly(error: unknown): boolean {
  const code = readErrorCode(error)
  return (
    error instanceof pg.DatabaseError &&
    error.severity === 'ERROR' &&
    code !== stalePlan &&
    code !== readOnlyTransaction
  )
}

const names = new Map<string, string>()

function nameStatement(sql: string): string {
  const known = names.get(sql)
  if (known !== undefined) return known
  const name = createHash('sha256').update(sql).digest('base64url').slice(0, 24)
  names.set(sql, name)
  return name
}

async function retryUndone<T>(work: () => Promise<T>, most = attempts): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === most || !undone.has(readErrorCode(error))) throw toUnavailable(error)
    }
  }
}

function createUnreachableError({ hosts }: DatabaseUrl, cause: unknown): DatabaseUnreachableError {
  const urls = hosts.map((host) => new URL(host))
  const reason = cause instanceof Error ? cause.message || readErrorCode(cause) : String(cause)
  return new DatabaseUnreachableError(
    `The database ${urls[0]?.pathname.slice(1)} at ${urls.map(({ host }) => host).join(', ')} cannot be used: ${reason}. Start it, or correct --database-url (postgres://USER:PASSWORD@HOST:PORT/NAME).`,
  )
}
