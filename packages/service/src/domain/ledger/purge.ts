import type { Database } from '../../platform/database/database.js'
import { defaultRetention, type Retention } from '../retention.js'

/** The lifetime of a hold after its end. */
export const endedHoldMs = 86_400_000

const most = 5_000

/**
 * Runs statements for rows that are older than an age (`$1` is the time) until none is left. Each
 * changes at most `batch` rows (`$2`), so that none takes long.
 */
export function inBatches(database: Database, now: number, batch = most) {
  return async (sql: string, ageMs: number): Promise<void> => {
    const params = [new Date(now - ageMs).toISOString(), batch]
    for (;;) if ((await database.query(`${sql} returning 1`, params)).length < batch) return
  }
}

/** Deletes old Idempotency-Keys and ended holds, and expired voices and sign-in messages. */
export async function purge(database: Database, now: number, { keys }: Retention = defaultRetention, batch?: number): Promise<void> {
  const all = inBatches(database, now, batch)
  await all(
    `delete from idempotency where (account_id, operation, key) in (
       select account_id, operation, key from idempotency where created_at < $1 order by created_at limit $2
     )`,
    keys,
  )
  await all(
    `update api_key set idempotency_key = null where id in (
       select id from api_key where idempotency_key is not null and created_at < $1 limit $2
     )`,
    keys,
  )
  await all(
    `delete from hold where id in (
       select id from hold where state <> 'held' and created_at < $1 order by created_at limit $2
     )`,
    endedHoldMs,
  )
  await all('delete from voice where id in (select id from voice where expires_at < $1 limit $2)', 0)
  await all('delete from siwx_nonce where (address, nonce) in (select address, nonce from siwx_nonce where expires_at < $1 limit $2)', 0)
}
