import type { Database } from '../../platform/database/database.js'
import type { MicroUsd } from '../ledger/money.js'

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
  /** What it cost the operator. Null until it has ended, or where that is not known. */
  readonly cost: MicroUsd | null
  readonly isPrivate: boolean
  readonly hasMedia: boolean
  readonly failure: string | null
  readonly attempts: number
  readonly createdAt: number
  readonly finishedAt?: number
}

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
