import { randomUUID } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import type { Ledger } from '../ledger/ledger.js'
import type { InsufficientBalance, Purchase } from '../ledger/ledger-types.js'
import type { MicroUsd } from '../ledger/money.js'
import { uniqueViolation, unlessRefused } from '../ledger/refusals.js'

export type VideoJob = {
  readonly id: string
  readonly model: string
  readonly state: 'queued' | 'running' | 'completed' | 'failed'
  readonly request: Readonly<Record<string, unknown>>
  readonly fingerprint: string
  /** Length of the video. Null in jobs of older versions. */
  readonly seconds: number | null
  readonly holdId: string
  readonly price: MicroUsd
  readonly isPrivate: boolean
  readonly hasMedia: boolean
  readonly failure: string | null
  readonly attempts: number
  readonly createdAt: number
  readonly finishedAt?: number
}

export type NewJob = Pick<VideoJob, 'request' | 'seconds' | 'fingerprint' | 'isPrivate'> & {
  /** The model is its `modelId`. */
  readonly purchase: Purchase & { readonly modelId: string }
  readonly idempotencyKey: string | null
}

export type Queued =
  | { readonly status: 'queued'; readonly job: VideoJob; readonly balance: MicroUsd }
  /** The Idempotency-Key queued this job before. */
  | { readonly status: 'known'; readonly job: VideoJob }
  | InsufficientBalance

/** The lifetime of a video (interface specification: a download URL is valid for 24 hours). */
export const mediaLifetimeMs = 86_400_000

/** The lifetime of the hold of a queued video. Its job ends it long before. */
const holdMs = 2 * mediaLifetimeMs

/** The queue of videos. Jobs survive a restart, and each is leased to one process at a time. */
export type VideoJobs = {
  /** Holds the price and adds the job, in one statement: a crash leaves both, or neither. */
  readonly add: (job: NewJob) => Promise<Queued>
  readonly findByKey: (account: string, idempotencyKey: string) => Promise<VideoJob | undefined>
  /** Whether an Idempotency-Key queued a job before. */
  readonly wasQueued: (account: string, idempotencyKey: string) => Promise<boolean>
  readonly find: (id: string, account?: string) => Promise<VideoJob | undefined>
  readonly media: (id: string) => Promise<Uint8Array | undefined>
  /** Leases the oldest free job. */
  readonly lease: (leaseMs: number) => Promise<VideoJob | undefined>
  readonly renew: (id: string, leaseMs: number) => Promise<void>
  /** Returns a job to the queue, or all jobs when there is no other process. */
  readonly requeue: (id?: string) => Promise<void>
  /** False when another process has ended the job. */
  readonly complete: (id: string, media: Uint8Array) => Promise<boolean>
  readonly fail: (id: string, reason: string) => Promise<boolean>
  readonly deleteMedia: (id: string) => Promise<void>
  /** Ended jobs with an open hold, because their process died in between. */
  readonly withOpenHold: () => Promise<readonly VideoJob[]>
  /** Deletes the media of older jobs. */
  readonly expire: (olderThanMs: number) => Promise<void>
  /** The average of the latest videos of a model, in milliseconds. */
  readonly averageMs: (model: string) => Promise<number | undefined>
}

const columns = `j.id, j.model, j.state, j.request, j.fingerprint, j.seconds, j.hold_id, j.price, j.is_private, j.failure, j.attempts, j.created_at,
  j.finished_at, j.media is not null as has_media`

export function createVideoJobs(database: Database, ledger: Pick<Ledger, 'hold'>, now: () => number): VideoJobs {
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
    one(
      `select ${columns} from video_job j join account a on a.id = j.account_id where j.id = $1 and ($2::text is null or a.name = $2)`,
      [id, account ?? null],
    )

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
      const insert = `
        insert into video_job (id, account_id, hold_id, price, created_at, model, request, is_private, idempotency_key, fingerprint, seconds, state)
        select $12, id, $7, $2, $4, $9, $13, $14, $15, $16, $17, 'queued' from reserved`
      const params = [id, JSON.stringify(request), isPrivate, idempotencyKey, fingerprint, seconds]
      const held = await unlessRefused(uniqueViolation, ledger.hold(purchase, holdMs, { insert, params }))
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

    lease: (leaseMs) =>
      one(
        `update video_job j set state = 'running', attempts = attempts + 1, lease_until = $2, started_at = coalesce(started_at, $1)
         where id = (
           select id from video_job where state = 'queued' or (state = 'running' and lease_until <= $1)
           order by created_at limit 1 for update skip locked
         ) returning ${columns}`,
        [time(), time(leaseMs)],
      ),

    renew: async (id, leaseMs) =>
      void (await database.query(`update video_job set lease_until = $2 where id = $1 and state = 'running'`, [id, time(leaseMs)])),

    requeue: async (id) =>
      void (await database.query(
        `update video_job set state = 'queued', attempts = attempts - 1 where state = 'running' and ($1::uuid is null or id = $1)`,
        [id ?? null],
      )),

    complete: async (id, media) =>
      (await one(
        `update video_job j set state = 'completed', media = $2, finished_at = $3 where id = $1 and state = 'running' returning ${columns}`,
        [id, media, time()],
      )) !== undefined,

    fail: async (id, reason) =>
      (await one(
        `update video_job j set state = 'failed', failure = $2, finished_at = $3 where id = $1 and state = 'running' returning ${columns}`,
        [id, reason, time()],
      )) !== undefined,

    deleteMedia: async (id) => void (await database.query('update video_job set media = null where id = $1', [id])),

    withOpenHold: async () =>
      (
        await database.query(
          `select ${columns} from video_job j join hold h on h.id = j.hold_id where h.state = 'held' and j.state in ('completed', 'failed')`,
        )
      ).map(toJob),

    expire: async (olderThanMs) =>
      void (await database.query('update video_job set media = null where media is not null and finished_at <= $1', [time(-olderThanMs)])),

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
    model: row['model'] as string,
    state: row['state'] as VideoJob['state'],
    // text, since a prompt may contain U+0000, which jsonb refuses
    request: JSON.parse(row['request'] as string) as VideoJob['request'],
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
