import { randomUUID } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import type { Ledger } from '../ledger/ledger.js'
import type { InsufficientBalance, Purchase } from '../ledger/ledger-types.js'
import type { MicroUsd } from '../ledger/money.js'
import { uniqueViolation, unlessRefused } from '../ledger/refusals.js'
import { createVideoInputs, type InputsFull, type VideoInputLimits, type VideoInputs } from './video-inputs.js'

export type VideoJob = {
  readonly id: string
  readonly accountId: bigint
  readonly model: string
  readonly state: 'queued' | 'running' | 'completed' | 'failed'
  readonly fingerprint: string
  /** Length of the video. Null in jobs of older versions. */
  readonly seconds: number | null
  readonly holdId: string
  /** What is held for it; once it has ended, what it costs. */
  readonly price: MicroUsd
  readonly isPrivate: boolean
  readonly hasMedia: boolean
  readonly failure: string | null
  readonly attempts: number
  readonly createdAt: number
  readonly finishedAt?: number
}

export type NewJob = Pick<VideoJob, 'seconds' | 'fingerprint' | 'isPrivate'> & {
  readonly request: Readonly<Record<string, unknown>>
  /** The model is its `modelId`. */
  readonly purchase: Purchase & { readonly modelId: string }
  readonly idempotencyKey: string | null
}

export type Queued =
  | { readonly status: 'queued'; readonly job: VideoJob; readonly balance: MicroUsd }
  /** The Idempotency-Key queued this job before. */
  | { readonly status: 'known'; readonly job: VideoJob }
  | { readonly status: 'full'; readonly whose: InputsFull }
  | InsufficientBalance

/** How a job ends. The price is 0 for one that is not charged. */
export type JobEnd =
  | { readonly state: 'completed'; readonly price: MicroUsd; readonly media: Uint8Array }
  | { readonly state: 'failed'; readonly price: MicroUsd; readonly failure: string }

/** The lifetime of a video (interface specification: a download URL is valid for 24 hours). */
export const mediaLifetimeMs = 86_400_000

/** The lifetime of the hold of a queued video. Its job ends it long before. */
const holdMs = 2 * mediaLifetimeMs

/** The queue of videos. Jobs survive a restart, and each is leased to one process at a time. */
export type VideoJobs = {
  /**
   * Holds the price and adds the job, in one statement: a crash leaves both, or neither. The
   * request is kept until the end of the job.
   */
  readonly add: (job: NewJob) => Promise<Queued>
  readonly findByKey: (account: string, idempotencyKey: string) => Promise<VideoJob | undefined>
  /** Whether an Idempotency-Key queued a job before. */
  readonly wasQueued: (account: string, idempotencyKey: string) => Promise<boolean>
  readonly find: (id: string, account?: string) => Promise<VideoJob | undefined>
  readonly media: (id: string) => Promise<Uint8Array | undefined>
  /**
   * Leases the oldest free job of the account with the fewest running ones, and then with the
   * earliest last turn. `busy` accounts get none.
   */
  readonly lease: (leaseMs: number, busy?: readonly bigint[]) => Promise<VideoJob | undefined>
  /** The request of a job that has not ended. */
  readonly request: VideoInputs['read']
  readonly renew: (id: string, leaseMs: number) => Promise<void>
  /** Returns a job to the queue, or all jobs when there is no other process. */
  readonly requeue: (id?: string) => Promise<void>
  /** Ends a job and deletes its request. False when another process has ended it. */
  readonly end: (id: string, end: JobEnd) => Promise<boolean>
  readonly deleteMedia: (id: string) => Promise<void>
  /** Ended jobs with an open hold, because their process died in between. */
  readonly withOpenHold: () => Promise<readonly VideoJob[]>
  /** The average of the latest videos of a model, in milliseconds. */
  readonly averageMs: (model: string) => Promise<number | undefined>
}

/** The condition for a job that nobody works on at `$1`. */
const isFree = `(state = 'queued' or (state = 'running' and lease_until <= $1))`

const columns = `j.id, j.account_id, j.model, j.state, j.fingerprint, j.seconds, j.hold_id, j.price, j.is_private, j.failure, j.attempts, j.created_at,
  j.finished_at, j.media is not null as has_media`

/** `now` in milliseconds since 1970. */
export function createVideoJobs(
  database: Database,
  ledger: Pick<Ledger, 'hold' | 'spendable'>,
  now: () => number,
  limits?: VideoInputLimits,
): VideoJobs {
  const inputs = createVideoInputs(database, now, limits)
  const time = (offsetMs = 0) => new Date(now() + offsetMs).toISOString()
  const one = async (sql: string, params: readonly unknown[]) => {
    const [row] = await database.query(sql, params)
    return row && toJob(row)
  }
  const findByKey: VideoJobs['findByKey'] = (account, key) =>
    one(`select ${columns} from video_job j join account a on a.id = j.account_id where a.name = $1 and j.idempotency_key = $2`, [
      account,
      key,
    ])

  const find: VideoJobs['find'] = (id, account) =>
    one(`select ${columns} from video_job j join account a on a.id = j.account_id where j.id = $1 and ($2::text is null or a.name = $2)`, [
      id,
      account ?? null,
    ])

  return {
    findByKey,

    wasQueued: async (account, key) =>
      (
        await database.query(
          'select 1 from video_job j join account a on a.id = j.account_id where a.name = $1 and j.idempotency_key = $2',
          [account, key],
        )
      ).length > 0,

    add: async ({ purchase, request, seconds, fingerprint, isPrivate, idempotencyKey }) => {
      const id = randomUUID()
      const { usd, diem } = await ledger.spendable(purchase.account)
      // nothing is written for those who cannot pay
      if (usd + diem < purchase.amount) return { status: 'insufficient', balance: usd, reason: 'balance' }
      const kept = await inputs.keep(id, purchase.account, request)
      if (kept !== 'kept') return { status: 'full', whose: kept }
      const insert = `
        insert into video_job (id, account_id, hold_id, price, created_at, model, is_private, idempotency_key, fingerprint, seconds, state)
        select $12, id, $7, $2, $4, $9, $13, $14, $15, $16, 'queued' from reserved`
      const params = [id, isPrivate, idempotencyKey, fingerprint, seconds]
      const held = await unlessRefused(uniqueViolation, ledger.hold(purchase, holdMs, { insert, params }))
      if (held?.status !== 'held') await inputs.forget(id)
      if (held?.status === 'insufficient') return held
      const job = held ? await find(id) : idempotencyKey === null ? undefined : await findByKey(purchase.account, idempotencyKey)
      if (!job) throw new Error(`Video: the job of ${purchase.account} was neither queued nor found`)
      return held ? { status: 'queued', job, balance: held.balance } : { status: 'known', job }
    },

    find,

    media: async (id) => {
      const [row] = await database.query<{ media: Uint8Array | null }>('select media from video_job where id = $1', [id])
      return row?.media ?? undefined
    },

    lease: (leaseMs, busy = []) =>
      one(
        `update video_job j set state = 'running', attempts = attempts + 1, lease_until = $2, started_at = coalesce(started_at, $1)
         where id = (
           select q.id from video_job q join (
             select distinct on (account_id) id,
               (select count(*) from video_job r where r.account_id = o.account_id and r.state = 'running' and r.lease_until > $1) as running,
               (select max(started_at) from video_job r where r.account_id = o.account_id) as last_turn
             from video_job o where ${isFree} and not account_id = any ($3::bigint[]) order by account_id, created_at
           ) first using (id) where ${isFree}
           order by running, last_turn nulls first, created_at limit 1 for update of q skip locked
         ) returning ${columns}`,
        [time(), time(leaseMs), `{${busy.join()}}`],
      ),

    request: inputs.read,

    renew: async (id, leaseMs) =>
      void (await database.query(`update video_job set lease_until = $2 where id = $1 and state = 'running'`, [id, time(leaseMs)])),

    requeue: async (id) =>
      void (await database.query(
        `update video_job set state = 'queued', attempts = attempts - 1 where state = 'running' and ($1::uuid is null or id = $1)`,
        [id ?? null],
      )),

    end: async (id, end) => {
      const rows = await database.query(
        `with ended as (
           update video_job set state = $2, price = $3, media = $4, failure = $5, finished_at = $6 where id = $1 and state = 'running' returning id
         ), forgotten as (
           delete from video_input where job_id in (select id from ended)
         )
         select 1 from ended`,
        [id, end.state, end.price, end.state === 'completed' ? end.media : null, end.state === 'failed' ? end.failure : null, time()],
      )
      return rows.length > 0
    },

    deleteMedia: async (id) => void (await database.query('update video_job set media = null where id = $1', [id])),

    withOpenHold: async () =>
      (
        await database.query(
          `select ${columns} from video_job j join hold h on h.id = j.hold_id where h.state = 'held' and j.state in ('completed', 'failed')`,
        )
      ).map(toJob),

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

function toJob(row: Readonly<Record<string, unknown>>): VideoJob {
  return {
    id: row['id'] as string,
    accountId: row['account_id'] as bigint,
    model: row['model'] as string,
    state: row['state'] as VideoJob['state'],
    fingerprint: row['fingerprint'] as string,
    seconds: row['seconds'] as number | null,
    holdId: row['hold_id'] as string,
    price: row['price'] as bigint,
    isPrivate: row['is_private'] === true,
    hasMedia: row['has_media'] === true,
    failure: row['failure'] as string | null,
    attempts: row['attempts'] as number,
    createdAt: (row['created_at'] as Date).getTime(),
    ...(row['finished_at'] instanceof Date && { finishedAt: row['finished_at'].getTime() }),
  }
}
