import type { Database } from '../platform/database/database.js'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How long upkeep keeps data, in milliseconds. Ledger entries are never deleted. */
export type Retention = {
  /** Responses, from their request, for repeats under an Idempotency-Key. */
  readonly responses: number
  /** Videos, from the moment that they are made. */
  readonly videos: number
  /** What an Idempotency-Key did, from its request; and ended jobs of videos. */
  readonly keys: number
  /** Records of reached limits, 50 per account. Undefined: forever. */
  readonly limitLogs?: number
}

export const defaultRetention: Retention = { responses: dayMs, videos: dayMs, keys: 7 * dayMs }

/** What the contract promises for responses and videos, and the longest that makes sense. */
const retentionBounds = { least: dayMs, most: 3_650 * dayMs }

/** Completes the defaults with what is given. Throws a RangeError for an invalid time. */
export function readRetention(given: Partial<Retention> = {}): Retention {
  const retention = { ...defaultRetention, ...given }
  for (const [name, ms] of Object.entries(retention)) {
    if (ms >= retentionBounds.least && ms <= retentionBounds.most) continue
    throw new RangeError(`keep.${name}: found ${ms / hourMs} hours, expected 24 hours to 3650 days`)
  }
  const { keys, responses, videos } = retention
  if (keys >= Math.max(responses, videos)) return retention
  throw new RangeError(
    `keep.keys: found ${keys / hourMs} hours, expected at least the ${Math.max(responses, videos) / hourMs} hours of responses and videos, which the key finds`,
  )
}

/** The lifetime of a hold after its end. */
export const endedHoldMs = 86_400_000

const rowsAtOnce = 5_000

/**
 * Runs statements for rows that are older than an age (`$1` is the time) until none is left. Each
 * changes at most `batch` rows (`$2`), so that none takes long.
 */
function createBatchRunner(database: Database, now: number, batch = rowsAtOnce) {
  return async (sql: string, ageMs: number): Promise<void> => {
    const params = [new Date(now - ageMs).toISOString(), batch]
    for (;;) if ((await database.query(`${sql} returning 1`, params)).length < batch) return
  }
}

/** Deletes old Idempotency-Keys and ended holds, and expired voices, images and sign-ins. */
export async function purge(
  database: Database,
  now: number,
  { keys }: Retention = defaultRetention,
  batch?: number,
): Promise<void> {
  const all = createBatchRunner(database, now, batch)
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
  await all(
    'delete from voice where id in (select id from voice where expires_at < $1 limit $2)',
    0,
  )
  await all(
    'delete from generated_image where id in (select id from generated_image where expires_at < $1 limit $2)',
    0,
  )
  await all(
    `delete from open_payment where id in (select id from open_payment where state = 'new' and lease_until < $1 limit $2)`,
    endedHoldMs,
  )
  await all(
    'delete from siwx_nonce where (address, nonce) in (select address, nonce from siwx_nonce where expires_at < $1 limit $2)',
    0,
  )
}

/** An input without a job is this old when the process that wrote it has died. */
const orphanMs = 3_600_000

/**
 * Deletes old videos, their jobs once the Idempotency-Key may be used again, and inputs
 * that no job is waiting for. The end of a job deletes its own input.
 */
export async function purgeVideos(
  database: Database,
  now: number,
  { videos, keys }: Retention = defaultRetention,
  batch?: number,
): Promise<void> {
  const all = createBatchRunner(database, now, batch)
  await all(
    `update video_job set media = null where id in (
       select id from video_job where media is not null and finished_at <= $1 limit $2
     )`,
    videos,
  )
  await all(
    `delete from video_job where id in (
       select id from video_job where state in ('completed', 'failed') and finished_at < $1 limit $2
     )`,
    keys,
  )
  await all(
    `delete from video_input where (job_id, number) in (
       select i.job_id, i.number from video_input i left join video_job j on j.id = i.job_id and j.state in ('queued', 'running')
       where i.created_at < $1 and j.id is null limit $2
     )`,
    orphanMs,
  )
}

/** Fewer, since they may be large. */
const responsesAtOnce = 50

/** Deletes old stored responses. What their requests did is known for longer. */
export async function purgeResponses(
  database: Database,
  now: number,
  { responses }: Retention = defaultRetention,
  batch = responsesAtOnce,
): Promise<void> {
  await createBatchRunner(
    database,
    now,
    batch,
  )(
    'delete from keyed_request where id in (select id from keyed_request where created_at <= $1 order by created_at limit $2)',
    responses,
  )
}

/** Longer than the counts of a window, and than failures and blocks, have an effect. */
const windowMs = 120_000
const failureMs = 3_600_000

/**
 * Deletes counts that limit nobody any more, and old entries of the log of limits. Without a time
 * those are kept, 50 of each account.
 */
export async function purgeLimits(
  database: Database,
  now: number,
  { limitLogs }: Retention = defaultRetention,
): Promise<void> {
  const all = createBatchRunner(database, now)
  await all(
    `delete from rate_window where (caller, class) in (
       select caller, class from rate_window where seconds[array_upper(seconds, 1)] < extract(epoch from $1::timestamptz) limit $2
     )`,
    windowMs,
  )
  await all(
    `delete from abuse where caller in (
       select caller from abuse where coalesce(failures[array_upper(failures, 1)], blocked_until) < $1 limit $2
     )`,
    failureMs,
  )
  if (limitLogs === undefined) return
  await all(
    'delete from rate_limit_log where id in (select id from rate_limit_log where created_at < $1 limit $2)',
    limitLogs,
  )
}
