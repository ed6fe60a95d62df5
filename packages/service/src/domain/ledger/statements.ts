import type { Database, Row } from '../../platform/database/database.js'
import { lockNotAvailable, wasUndone } from '../../platform/database/storage-error.js'
import { readErrorCode } from '../../platform/unknown-value.js'
import { bindActiveSpan } from '../../platform/telemetry/spans.js'
import { sleep } from '../../platform/time.js'

/** The statements for one kind of work. */
type Statements<Work, Result> = {
  /** Default: `many` of one, which then does every work. */
  readonly one?: (work: Work) => Promise<Result>
  /**
   * Does as many of the works as it can in one statement. The result of each other work is
   * undefined, and nothing of it was written. With `nowait`, it does not wait for the lock of a
   * row.
   */
  readonly many: (works: readonly Work[], wait: Wait) => Promise<readonly (Result | undefined)[]>
  /** The most works in one statement. Default: 200. */
  readonly largest?: number
}

/**
 * Statements of one kind that run at once. With more of them, each would have fewer works, and a
 * work would cost more.
 */
const mostRunning = 2

/** Milliseconds after which a statement no longer counts as running: it waits for a locked row. */
const patienceMs = 100

type Item<Work, Result> = {
  readonly work: Work
  readonly subject: string
  readonly resolve: (result: Result | Promise<Result>) => void
  readonly reject: (error: unknown) => void
  /** `run` of the queue, in the span of the caller of this work. */
  readonly run: (batch: readonly Item<Work, Result>[]) => Promise<void>
}

/**
 * Batches concurrent work into few statements. The work of one turn of the event loop shares a statement:
 * that of all requests that had arrived. A work waits while a statement for its subject runs, and
 * while two other statements run, for the latter at most 100 ms: two locked rows do not stop other
 * subjects. Two statements never work on one subject at once: the second would only wait for the
 * first. While two shared statements run, further ones do not wait for locks. A work that the
 * shared statement did not do runs alone afterwards, which gives the reason. A subject whose work
 * did not get its lock even then is left out of shared statements until it does. A broken
 * connection rejects all works of a statement, since their outcome is unknown.
 */
export function shareStatements<Work, Result>({
  many,
  one,
  largest = 200,
}: Statements<Work, Result>): (work: Work, subject: string) => Promise<Result> {
  let waiting: Item<Work, Result>[] = []
  const busySubjects = new Set<string>()
  const lockedSubjects = new Set<string>()
  /** Statements that count as running. */
  let running = 0
  /** Shared statements that run, including those that no longer count. */
  let shared = 0
  let isScheduled = false

  const schedule = () => {
    if (!isScheduled) setImmediate(sendWaiting)
    isScheduled = true
  }

  const sendWaiting = () => {
    isScheduled = false
    for (;;) {
      if (running === mostRunning) return
      const batch: Item<Work, Result>[] = []
      const rest: Item<Work, Result>[] = []
      for (const item of waiting) {
        const fits = batch.length < largest && !busySubjects.has(item.subject)
        ;(fits ? batch : rest).push(item)
      }
      if (batch.length === 0) return
      waiting = rest
      void send(batch)
    }
  }

  const send = async (batch: readonly Item<Work, Result>[]) => {
    for (const { subject } of batch) busySubjects.add(subject)
    running++
    let counts = true
    const stopCounting = () => {
      if (counts) running--
      counts = false
      schedule()
    }
    const impatience = setTimeout(stopCounting, patienceMs)
    // a span has one parent, and the statement several
    await batch[0]?.run(batch)
    clearTimeout(impatience)
    for (const { subject } of batch) busySubjects.delete(subject)
    stopCounting()
  }

  /** Never rejects. */
  const run = async (batch: readonly Item<Work, Result>[]): Promise<void> => {
    const [first] = batch
    if (first && batch.length === 1) {
      const { work, subject, resolve, reject } = first
      try {
        const result = one ? await one(work) : ((await many([work], ''))[0] as Result)
        lockedSubjects.delete(subject)
        return resolve(result)
      } catch (error) {
        if (readErrorCode(error) === lockNotAvailable) lockedSubjects.add(subject)
        return reject(error)
      }
    }
    const works = batch.map(({ work }) => work)
    const wait = shared < mostRunning ? '' : 'nowait'
    shared++
    try {
      const results = await many(works, wait)
      for (const [place, item] of batch.entries()) {
        const result = results[place]
        if (result === undefined) void item.run([item])
        else item.resolve(result)
      }
    } catch (error) {
      for (const item of batch) {
        if (wasUndone(error)) void item.run([item])
        else item.reject(error)
      }
    } finally {
      shared--
    }
  }

  return (work, subject) =>
    new Promise((resolve, reject) => {
      const item = { work, subject, resolve, reject, run: bindActiveSpan(run) }
      if (lockedSubjects.has(subject)) void item.run([item])
      else {
        waiting.push(item)
        schedule()
      }
    })
}

/** Whether a statement waits for the locks of its accounts, or fails at once if one is not free. */
export type Wait = '' | 'nowait'

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

/** SQL of the UTC day of a time, whatever the time zone of the session is. */
export function utcDay(time: string): string {
  return `(${time}::timestamptz at time zone 'UTC')::date`
}
