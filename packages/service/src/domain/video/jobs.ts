import type { Database } from '../../platform/database/database.js'
import type { Ledger } from '../ledger/ledger.js'
import { createJobEnds, type JobEnds } from './job-states.js'
import { createJobLeases, type JobLeases } from './job-states.js'
import { createNewJobs, type NewJobs } from './new-jobs.js'
import type { OrderJournal, SentOrder } from './video-backend.js'
import { createVideoInputs, type VideoInputLimits, type VideoInputs } from './video-inputs.js'

/** The queue of videos. Jobs survive a restart, and each is leased to one process at a time. */
export type VideoJobs = NewJobs &
  JobLeases &
  JobEnds & {
    /** The request of a job that has not ended. */
    readonly request: VideoInputs['read']
    /** Where the order of a job is, if an upstream may have it. */
    readonly journal: (id: string) => OrderJournal
    /** The average of the latest videos of a model, in milliseconds. */
    readonly averageMs: (model: string) => Promise<number | undefined>
  }

/** `now` in milliseconds since 1970. */
export function createVideoJobs(
  database: Database,
  ledger: Pick<Ledger, 'hold' | 'spendable' | 'undo'>,
  now: () => number,
  limits?: VideoInputLimits,
): VideoJobs {
  const inputs = createVideoInputs(database, now, limits)
  return {
    ...createNewJobs(database, ledger, inputs),
    ...createJobLeases(database, now),
    ...createJobEnds(database, now),

    request: inputs.read,

    journal: (id) => ({
      read: async () => {
        const [row] = await database.query<{ sent_order: string | null }>(
          'select sent_order from video_job where id = $1',
          [id],
        )
        return row?.sent_order === undefined || row.sent_order === null
          ? undefined
          : (JSON.parse(row.sent_order) as SentOrder)
      },
      write: async (order) =>
        void (await database.query('update video_job set sent_order = $2 where id = $1', [
          id,
          order ? JSON.stringify(order) : null,
        ])),
    }),

    averageMs: async (model) => {
      const [row] = await database.query<{ average: number | null }>(
        `select (extract(epoch from avg(finished_at - created_at)) * 1000)::float8 as average from (
           select finished_at, created_at from video_job where model = $1 and state = 'completed' order by finished_at desc limit 20
         ) latest`,
        [model],
      )
      return row?.average ?? undefined
    },
  }
}
