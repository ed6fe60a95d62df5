import type { Database, Row } from '../../platform/database/database.js'
import type { Wait } from '../../platform/database/share-statements.js'
import { lockNotAvailable } from '../../platform/database/storage-error.js'
import { readErrorCode } from '../../platform/unknown-value.js'
import { sleep } from '../../platform/time.js'

/**
 * Statements of one kind that wait for a lock at a time, each on a connection. With two shared
 * statements of each kind (`shareStatements`) they are nine, and the pool has ten.
 */
export const maxLockWaiters = { holds: 3, captures: 2 }

const pauseMs = 25
const attempts = 40

/**
 * Runs statements for single accounts. At most `most` at a time wait for a lock. Further ones ask
 * for it again and again, without a connection meanwhile: locked accounts leave the rest of the
 * pool to the others.
 */
export function queryLocked(database: Database, most: number) {
  let waiting = 0
  return async <Result extends Row>(
    sql: Readonly<Record<Wait, string>>,
    params: readonly unknown[],
  ): Promise<readonly Result[]> => {
    for (let attempt = 1; ; attempt++) {
      if (waiting < most) break
      try {
        return await database.query<Result>(sql.nowait, params)
      } catch (error) {
        if (attempt === attempts || readErrorCode(error) !== lockNotAvailable) throw error
        await sleep(pauseMs)
      }
    }
    waiting++
    try {
      return await database.query<Result>(sql[''], params)
    } finally {
      waiting--
    }
  }
}

/**
 * Accounts whose lock a capture did not get in time, until a later one gets it. A capture only
 * names its hold, so accounts are looked up, which costs nothing while none is locked. `add` and
 * `delete` never reject: they change nothing if the database does not respond.
 */
export type LockedAccounts = {
  /** The account of this hold is locked. */
  readonly add: (holdId: string) => Promise<void>
  /** The account of this hold is no longer locked. */
  readonly delete: (holdId: string) => Promise<void>
  /** Those of the holds whose account is locked. */
  readonly holdsAmong: (holdIds: readonly string[]) => Promise<ReadonlySet<string>>
}

export function createLockedAccounts(database: Database): LockedAccounts {
  const accounts = new Set<bigint>()
  const findAccount = async (holdId: string) => {
    const sql = 'select account_id as account from hold where id = $1'
    const [hold] = await database.query<{ account: bigint }>(sql, [holdId]).catch(() => [])
    return hold?.account
  }
  return {
    add: async (holdId) => {
      const account = await findAccount(holdId)
      if (account !== undefined) accounts.add(account)
    },

    delete: async (holdId) => {
      const account = accounts.size > 0 ? await findAccount(holdId) : undefined
      if (account !== undefined) accounts.delete(account)
    },

    holdsAmong: async (holdIds) => {
      if (accounts.size === 0) return new Set()
      const rows = await database.query<{ id: string }>(
        'select id from hold where id = any ($1::text[]) and account_id = any ($2::bigint[])',
        [holdIds, `{${[...accounts].join()}}`],
      )
      return new Set(rows.map(({ id }) => id))
    },
  }
}

/** A time, its day and its month as parameters of the statements. */
export function toMoment(now: number): {
  readonly time: string
  readonly day: string
  readonly month: string
} {
  const time = new Date(now).toISOString()
  return {
    time,
    day: `${time.slice(0, 10)}T00:00:00.000Z`,
    month: `${time.slice(0, 7)}-01T00:00:00.000Z`,
  }
}

/**
 * Whether the window of an API key that is current counts what was held on `day`. The entry of a
 * charge may be younger than its hold, and be of the next window.
 */
export function countsSql(day: string): string {
  return `(api_key.consumed_since is null or api_key.consumed_since <= ${day}::timestamp at time zone 'UTC')`
}

/** SQL of the UTC day of a time, whatever the time zone of the session is. */
export function utcDaySql(time: string): string {
  return `(${time}::timestamptz at time zone 'UTC')::date`
}
