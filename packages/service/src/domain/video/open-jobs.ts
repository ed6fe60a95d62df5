import type { Database } from '../../platform/database/database.js'

export type OpenJobs = { readonly queued: bigint; readonly running: bigint }

/** The videos of all processes that have not ended, from their index. */
export async function countOpenJobs(database: Database): Promise<OpenJobs> {
  const [row] = await database.query<OpenJobs>(
    `select count(*) filter (where state = 'queued') as queued, count(*) filter (where state = 'running') as running
     from video_job where state in ('queued', 'running')`,
  )
  return row ?? { queued: 0n, running: 0n }
}
