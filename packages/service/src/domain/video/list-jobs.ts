import type { Database, Row } from '../../platform/database/database.js'
import { toUsd } from '../ledger/money.js'

export const jobStates = ['queued', 'running', 'completed', 'failed'] as const

/** A video job as its operator sees it, without its prompt and media. */
export type JobRecord = {
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

export type JobFilter = {
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
  return { jobs: rows.slice(0, limit).map(toJob), hasMore: rows.length > limit }
}

function toJob(row: Row): JobRecord {
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

export type OpenJobs = { readonly queued: bigint; readonly running: bigint }

/** The videos of all processes that have not ended, from their index. */
export async function countOpenJobs(database: Database): Promise<OpenJobs> {
  const [row] = await database.query<OpenJobs>(
    `select count(*) filter (where state = 'queued') as queued, count(*) filter (where state = 'running') as running
     from video_job where state in ('queued', 'running')`,
  )
  return row ?? { queued: 0n, running: 0n }
}
