import type { Database } from '../../platform/database/database.js'

/** The lease of this process. When it expires, other processes release its holds. */
export type ProcessLease = {
  readonly renew: () => Promise<void>
  /** After the last hold of the process has ended. */
  readonly end: () => Promise<void>
}

/** Renewals are a third of it apart: a freeze of the database costs no hold. */
export const leaseSeconds = 60

/** The condition for a row of a table whose process has died. */
export function hasDied(table: 'hold' | 'keyed_request'): string {
  return `not exists (select from process where process.id = ${table}.process_id and alive_until > now())`
}

/**
 * Starts the lease of a process. `isAlone`: a lock excludes all other processes, so each of them
 * has died. Leases are in the time of the database, as clocks of processes differ.
 */
export async function openProcessLease(
  database: Database,
  processId: string,
  isAlone: boolean,
): Promise<ProcessLease> {
  const renew = async () =>
    void (await database.query(
      `insert into process (id, alive_until) values ($1, now() + make_interval(secs => $2))
       on conflict (id) do update set alive_until = excluded.alive_until`,
      [processId, leaseSeconds],
    ))
  if (isAlone) await database.query('delete from process')
  // one that has been silent for a day cannot come back, and has no hold left
  else await database.query(`delete from process where alive_until < now() - interval '1 day'`)
  await renew()
  return {
    renew,
    // if the database does not respond, the lease expires by itself
    end: () =>
      database
        .query('delete from process where id = $1', [processId])
        .then(ignoreResult, ignoreResult),
  }
}

const ignoreResult = () => undefined
