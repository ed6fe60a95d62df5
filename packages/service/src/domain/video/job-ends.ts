import type { Database } from '../../platform/database/database.js'
import type { MicroUsd } from '../ledger/money.js'
import { jobColumns, readJobs, type VideoJob } from './video-job.js'

/** How a job ends. The price is 0 for one that is not charged. */
export type JobEnd =
  | { readonly state: 'completed'; readonly price: MicroUsd; readonly media: Uint8Array }
  | { readonly state: 'failed'; readonly price: MicroUsd; readonly failure: string }

export type JobEnds = {
  /**
   * Ends a job and deletes its request. False when another process has ended it. `cost` is what it
   * cost the operator, where that is known.
   */
  readonly end: (id: string, end: JobEnd, cost?: MicroUsd) => Promise<boolean>
  /** Ended jobs with an open hold, because their process died in between. */
  readonly withOpenHold: () => Promise<readonly VideoJob[]>
  readonly media: (id: string) => Promise<Uint8Array | undefined>
  readonly deleteMedia: (id: string) => Promise<void>
}

/** `now` in milliseconds since 1970. */
export function createJobEnds(database: Database, now: () => number): JobEnds {
  return {
    end: async (id, end, cost) => {
      const media = end.state === 'completed' ? end.media : null
      const failure = end.state === 'failed' ? end.failure : null
      const rows = await database.query(
        `with ended as (
           update video_job set state = $2, price = $3, media = $4, failure = $5, finished_at = $6, cost = $7 where id = $1 and state = 'running' returning id
         ), forgotten as (
           delete from video_input where job_id in (select id from ended)
         )
         select 1 from ended`,
        [id, end.state, end.price, media, failure, new Date(now()).toISOString(), cost ?? null],
      )
      return rows.length > 0
    },

    withOpenHold: () =>
      readJobs(
        database,
        `select ${jobColumns} from video_job j join hold h on h.id = j.hold_id where h.state = 'held' and j.state in ('completed', 'failed')`,
      ),

    media: async (id) => {
      const [row] = await database.query<{ media: Uint8Array | null }>('select media from video_job where id = $1', [id])
      return row?.media ?? undefined
    },

    deleteMedia: async (id) => void (await database.query('update video_job set media = null where id = $1', [id])),
  }
}
