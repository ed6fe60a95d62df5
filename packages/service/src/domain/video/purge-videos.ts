import type { Database } from '../../platform/database/database.js'
import { inBatches } from '../ledger/purge.js'
import { defaultRetention, type Retention } from '../retention.js'

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
  const all = inBatches(database, now, batch)
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
