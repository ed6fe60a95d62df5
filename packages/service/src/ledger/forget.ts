import type { Database } from '../database/database.js'

/** How long an Idempotency-Key is remembered. Payments are remembered for ever by what was signed, whatever their key. */
export const keyLifetimeMs = 7 * 86_400_000

const batch = 5_000

/** Forgets Idempotency-Keys that are too old to be repeats, and voices and sign-in messages that have expired; a batch of each, so that no statement takes long. */
export async function forget(database: Database, now: number): Promise<void> {
  const [time, old] = [new Date(now).toISOString(), new Date(now - keyLifetimeMs).toISOString()]
  await database.query(
    `delete from idempotency where (account_id, operation, key) in (
       select account_id, operation, key from idempotency where created_at < $1 order by created_at limit ${batch}
     )`,
    [old],
  )
  await database.query(
    `update video_job set idempotency_key = null where id in (
       select id from video_job where idempotency_key is not null and created_at < $1 limit ${batch}
     )`,
    [old],
  )
  await database.query(`delete from voice where id in (select id from voice where expires_at < $1 limit ${batch})`, [time])
  await database.query(
    `delete from siwx_nonce where (address, nonce) in (select address, nonce from siwx_nonce where expires_at < $1 limit ${batch})`,
    [time],
  )
}
