import { randomUUID } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import { uniqueViolation, ignoreRejection } from '../../platform/database/storage-error.js'
import { createUnfinished } from '../../platform/unfinished.js'
import type { InsufficientBalance, Purchase, RequestKey } from '../ledger/ledger-types.js'
import type { Ledger } from '../ledger/ledger.js'
import type { MicroUsd } from '../ledger/money.js'
import type { OrderJournal, SentOrder } from './video-backend.js'
import {
  createVideoInputs,
  type VideoInputLimits,
  type VideoInputs,
  type InputsFull,
} from './video-inputs.js'
import {
  createJobEnds,
  type JobEnds,
  createJobLeases,
  type JobLeases,
  jobColumns,
  readJobs,
  type VideoJob,
} from './video-job.js'

/** The queue of videos. Jobs survive a restart, and each is leased to one process at a time. */
export type VideoJobs = NewJobs &
  JobLeases &
  JobEnds & {
    /** The request of a job that has not ended. */
    readonly request: VideoInputs['read']
    /** The order that a job has placed at an upstream. */
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

type NewJob = Pick<VideoJob, 'seconds' | 'isPrivate'> & {
  readonly request: Readonly<Record<string, unknown>>
  /** The model is its `modelId`. */
  readonly purchase: Purchase & { readonly modelId: string }
  readonly idempotency?: RequestKey
}

type EnqueueResult =
  | { readonly status: 'queued'; readonly job: VideoJob; readonly balance: MicroUsd }
  /** The Idempotency-Key queued this job before. */
  | { readonly status: 'known'; readonly job: VideoJob }
  | { readonly status: 'full'; readonly whose: InputsFull }
  | InsufficientBalance

type NewJobs = {
  /**
   * Holds the price and adds the job, in one statement: a crash leaves both, or neither. The
   * request is kept until the end of the job. After a rejection, the caller has no job and is not
   * charged: `undoUnfinished` sees to it where the database gave no response.
   */
  readonly add: (job: NewJob) => Promise<EnqueueResult>
  readonly find: (id: string, account?: string) => Promise<VideoJob | undefined>
  readonly findByKey: (account: string, idempotencyKey: string) => Promise<VideoJob | undefined>
  /** Deletes the jobs that rejected calls have added, and gives back what they cost. */
  readonly undoUnfinished: () => Promise<void>
}

/** A hundred years: the hold of a queued video ends with its job, however long that waits. */
const holdMs = 36_525 * 86_400_000

/** `$11` and further are the job. */
const insert = `
  insert into video_job (id, account_id, hold_id, price, created_at, model, is_private, idempotency_key, fingerprint, seconds, state)
  select $11, id, $7, $2, $4, $9, $12, $13, $14, $15, 'queued' from reserved`

function createNewJobs(
  database: Database,
  ledger: Pick<Ledger, 'hold' | 'spendable' | 'undo'>,
  inputs: VideoInputs,
): NewJobs {
  const one = async (condition: string, params: readonly unknown[]) =>
    (
      await readJobs(
        database,
        `select ${jobColumns} from video_job j join account a on a.id = j.account_id where ${condition}`,
        params,
      )
    )[0]
  const find: NewJobs['find'] = (id, account) =>
    one('j.id = $1 and ($2::text is null or a.name = $2)', [id, account ?? null])
  const findByKey: NewJobs['findByKey'] = (account, key) =>
    one('a.name = $1 and j.idempotency_key = $2', [account, key])

  /** Ids of jobs that may have been added, and of those that may still be. */
  const unfinished = createUnfinished<string>()
  const late = createUnfinished<string>()

  /** False when there is no such job. The hold comes first, since the job names it. */
  const undo = async (id: string): Promise<boolean> => {
    const job = await find(id)
    if (job) await ledger.undo(job.holdId)
    await database.query('delete from video_job where id = $1', [id])
    await inputs.forget(id)
    return job !== undefined
  }

  const addKept = async (
    id: string,
    { purchase, isPrivate, seconds, idempotency }: NewJob,
  ): Promise<EnqueueResult> => {
    const params = [
      id,
      isPrivate,
      idempotency?.key ?? null,
      idempotency?.fingerprint ?? null,
      seconds,
    ]
    const held = await ignoreRejection(
      uniqueViolation,
      ledger.hold(purchase, holdMs, { insert, params }),
    )
    if (held?.status !== 'held') await inputs.forget(id)
    if (held?.status === 'insufficient') return held
    const job = held
      ? await find(id)
      : idempotency && (await findByKey(purchase.account, idempotency.key))
    if (!job) throw new Error(`Video: the job of ${purchase.account} was neither queued nor found`)
    return held ? { status: 'queued', job, balance: held.balance } : { status: 'known', job }
  }

  return {
    find,
    findByKey,

    add: async (job) => {
      const { purchase, request } = job
      const id = randomUUID()
      const { usd, diem } = await ledger.spendable(purchase.account)
      // nothing is written for callers who cannot pay
      if (usd + diem < purchase.amount)
        return { status: 'insufficient', balance: usd, reason: 'balance' }
      const kept = await inputs.keep(id, purchase.account, request)
      if (kept !== 'kept') return { status: 'full', whose: kept }
      try {
        return await addKept(id, job)
      } catch (error) {
        unfinished.add(id)
        throw error
      }
    },

    undoUnfinished: async () => {
      await late.finish(async (id) => void (await undo(id)))
      await unfinished.finish(async (id) => {
        // the statement may be at work without its connection, for less time than the next call is
        // away
        if (!(await undo(id))) late.add(id)
      })
    },
  }
}
