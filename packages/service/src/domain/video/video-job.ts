import type { Database, Row } from '../../platform/database/database.js'
import { type MicroUsd, toUsd } from '../ledger/money.js'

export type VideoJob = {
  readonly id: string
  readonly accountId: bigint
  readonly model: string
  readonly state: 'queued' | 'running' | 'completed' | 'failed'
  /** Of the request, where it had an Idempotency-Key. */
  readonly fingerprint: string | null
  /** Length of the video. */
  readonly seconds: number
  readonly holdId: string
  /** The amount held for it; once it has ended, its cost. */
  readonly price: MicroUsd
  /** What it cost the operator. Null until it has ended, or if it is unknown. */
  readonly cost: MicroUsd | null
  readonly isPrivate: boolean
  readonly hasMedia: boolean
  readonly failure: string | null
  /** Leases of the job, of which the last one is valid. */
  readonly attempts: number
  readonly createdAt: number
  readonly finishedAt?: number
}

/** A lease of a job. Nothing is done for one that has run out, once there is another. */
type JobLease = Pick<VideoJob, 'id' | 'attempts'>

/** The lifetime of a video (interface specification: a download URL is valid for 24 hours). */
export const mediaLifetimeMs = 86_400_000

/** Of a job `j`. */
export const jobColumns = `j.id, j.account_id, j.model, j.state, j.fingerprint, j.seconds, j.hold_id, j.price, j.cost, j.is_private, j.failure, j.attempts,
  j.created_at, j.finished_at, j.media is not null as has_media`

/** Reads the jobs of a statement that returns `jobColumns`. */
export async function readJobs(
  database: Database,
  sql: string,
  params: readonly unknown[] = [],
): Promise<readonly VideoJob[]> {
  return (await database.query(sql, params)).map(toJob)
}

function toJob(row: Readonly<Record<string, unknown>>): VideoJob {
  return {
    id: row['id'] as string,
    accountId: row['account_id'] as bigint,
    model: row['model'] as string,
    state: row['state'] as VideoJob['state'],
    fingerprint: row['fingerprint'] as string | null,
    seconds: row['seconds'] as number,
    holdId: row['hold_id'] as string,
    price: row['price'] as bigint,
    cost: row['cost'] as bigint | null,
    isPrivate: row['is_private'] === true,
    hasMedia: row['has_media'] === true,
    failure: row['failure'] as string | null,
    attempts: row['attempts'] as number,
    createdAt: (row['created_at'] as Date).getTime(),
    ...(row['finished_at'] instanceof Date && { finishedAt: row['finished_at'].getTime() }),
  }
}

/** A job is leased to one process at a time, which renews its lease while it works. */
export type JobLeases = {
  /**
   * Leases the oldest free job of the account with the fewest running ones, and then with the
   * earliest last turn. `busy` accounts get none.
   */
  readonly lease: (leaseMs: number, busy?: readonly bigint[]) => Promise<VideoJob | undefined>
  readonly renew: (job: JobLease, leaseMs: number) => Promise<void>
  /** Returns a job to the queue, or all jobs when there is no other process. */
  readonly requeue: (job?: JobLease) => Promise<void>
}

/** The condition for a job without a worker at `$1`. */
const isFree = `(state = 'queued' or (state = 'running' and lease_until <= $1))`

const leaseOne = `
  update video_job j set state = 'running', attempts = attempts + 1, lease_until = $2, started_at = coalesce(started_at, $1)
  where id = (
    select q.id from video_job q join (
      select distinct on (account_id) id,
        (select count(*) from video_job r where r.account_id = o.account_id and r.state = 'running' and r.lease_until > $1) as running,
        (select max(started_at) from video_job r where r.account_id = o.account_id) as last_turn
      from video_job o where ${isFree} and not account_id = any ($3::bigint[]) order by account_id, created_at
    ) first using (id) where ${isFree}
    order by running, last_turn nulls first, created_at limit 1 for update of q skip locked
  ) returning ${jobColumns}`

/** `now` in milliseconds since 1970. */
export function createJobLeases(database: Database, now: () => number): JobLeases {
  const time = (offsetMs = 0) => new Date(now() + offsetMs).toISOString()
  return {
    lease: async (leaseMs, busy = []) =>
      (await readJobs(database, leaseOne, [time(), time(leaseMs), `{${busy.join()}}`]))[0],

    renew: async ({ id, attempts }, leaseMs) =>
      void (await database.query(
        `update video_job set lease_until = $2 where id = $1 and state = 'running' and attempts = $3`,
        [id, time(leaseMs), attempts],
      )),

    requeue: async (job) =>
      void (await database.query(
        `update video_job set state = 'queued', attempts = attempts - 1
         where state = 'running' and ($1::uuid is null or (id = $1 and attempts = $2))`,
        [job?.id ?? null, job?.attempts ?? 0],
      )),
  }
}

/** How a job ends. The price is 0 for one that is not charged. */
export type JobEnd =
  | { readonly state: 'completed'; readonly price: MicroUsd; readonly media: Uint8Array }
  | { readonly state: 'failed'; readonly price: MicroUsd; readonly failure: string }

export type JobEnds = {
  /**
   * Ends a job and deletes its request. False when another process has ended it, or works on it.
   * `cost` is what it cost the operator, where that is known.
   */
  readonly end: (job: JobLease, end: JobEnd, cost?: MicroUsd) => Promise<boolean>
  /** Ended jobs with an open hold, because their process died in between. */
  readonly withOpenHold: () => Promise<readonly VideoJob[]>
  readonly media: (id: string) => Promise<Uint8Array | undefined>
  readonly deleteMedia: (id: string) => Promise<void>
}

/** `now` in milliseconds since 1970. */
export function createJobEnds(database: Database, now: () => number): JobEnds {
  return {
    end: async ({ id, attempts }, end, cost) => {
      const media = end.state === 'completed' ? end.media : null
      const failure = end.state === 'failed' ? end.failure : null
      const rows = await database.query(
        `with ended as (
           update video_job set state = $2, price = $3, media = $4, failure = $5, finished_at = $6, cost = $7 where id = $1 and state = 'running' and attempts = $8 returning id
         ), forgotten as (
           delete from video_input where job_id in (select id from ended)
         )
         select 1 from ended`,
        [
          id,
          end.state,
          end.price,
          media,
          failure,
          new Date(now()).toISOString(),
          cost ?? null,
          attempts,
        ],
      )
      return rows.length > 0
    },

    withOpenHold: () =>
      readJobs(
        database,
        `select ${jobColumns} from video_job j join hold h on h.id = j.hold_id where h.state = 'held' and j.state in ('completed', 'failed')`,
      ),

    media: async (id) => {
      const [row] = await database.query<{ media: Uint8Array | null }>(
        'select media from video_job where id = $1',
        [id],
      )
      return row?.media ?? undefined
    },

    deleteMedia: async (id) =>
      void (await database.query('update video_job set media = null where id = $1', [id])),
  }
}

export const jobStates = ['queued', 'running', 'completed', 'failed'] as const

/** A video job as its operator sees it, without its prompt and media. */
type JobRecord = {
  readonly id: string
  readonly account: string
  readonly model: string
  readonly state: (typeof jobStates)[number]
  /** USD. */
  readonly price: number
  readonly attempts: number
  readonly createdAt: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly failure?: string
}

type JobFilter = {
  readonly state?: JobRecord['state'] | undefined
  readonly limit: number
  readonly offset: number
}

/** Newest first. */
export async function listJobs(database: Database, { state, limit, offset }: JobFilter) {
  const rows = await database.query(
    `select j.id, a.name as account, j.model, j.state, j.price, j.attempts, j.created_at, j.started_at, j.finished_at, j.failure
     from video_job j join account a on a.id = j.account_id where $1::text is null or j.state = $1
     order by j.created_at desc, j.id limit $2 offset $3`,
    [state ?? null, limit + 1, Math.min(offset, Number.MAX_SAFE_INTEGER)],
  )
  return { jobs: rows.slice(0, limit).map(toJobRecord), hasMore: rows.length > limit }
}

function toJobRecord(row: Row): JobRecord {
  return {
    id: row['id'] as string,
    account: row['account'] as string,
    model: row['model'] as string,
    state: row['state'] as JobRecord['state'],
    price: toUsd(row['price'] as bigint),
    attempts: row['attempts'] as number,
    createdAt: (row['created_at'] as Date).toISOString(),
    ...(row['started_at'] instanceof Date && { startedAt: row['started_at'].toISOString() }),
    ...(row['finished_at'] instanceof Date && { finishedAt: row['finished_at'].toISOString() }),
    ...(typeof row['failure'] === 'string' && { failure: row['failure'] }),
  }
}

type OpenJobs = { readonly queued: bigint; readonly running: bigint }

/** The videos of all processes that have not ended, from their index. */
export async function countOpenJobs(database: Database): Promise<OpenJobs> {
  const [row] = await database.query<OpenJobs>(
    `select count(*) filter (where state = 'queued') as queued, count(*) filter (where state = 'running') as running
     from video_job where state in ('queued', 'running')`,
  )
  return row ?? { queued: 0n, running: 0n }
}
