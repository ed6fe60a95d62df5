import { statfs } from 'node:fs/promises'
import type { LedgerAudit } from '../domain/audit/ledger-audit.js'
import { readOpenHolds } from '../domain/ledger/read-ledger.js'
import { toUsd } from '../domain/ledger/money.js'
import { countOpenJobs } from '../domain/video/video-job.js'
import type { BodyBudget } from '../http/read-body.js'
import type { DatabaseClock } from '../platform/database/database-clock.js'
import type { Database } from '../platform/database/database.js'
import type { Metrics } from '../platform/telemetry/metrics.js'
import { timeLimit, withTimeout } from '../platform/time.js'
import type { WorkerLoad } from '../platform/workers/worker-pool.js'

type GaugeSources = {
  readonly database: Database
  readonly clock: Pick<DatabaseClock, 'skewMs'>
  readonly audit: Pick<LedgerAudit, 'countFaults'>
  readonly bodies: Pick<BodyBudget, 'inFlight'>
  /** By name. A pool without a load is not shown. */
  readonly pools: Readonly<Record<string, { load?(): WorkerLoad }>>
  readonly connections: (() => Promise<number>) | undefined
  /** The folder of the embedded database. */
  readonly data: string | undefined
}

/** Time limit of one query. A scraper waits 10 s by default. */
const queryMs = 2_000

/** Adds gauges of the current load to the metrics. */
export function addGauges(
  { reading }: Pick<Metrics, 'reading'>,
  { database, clock, audit, bodies, pools, connections, data }: GaugeSources,
): void {
  reading(
    'farebox_request_body_bytes',
    'gauge',
    'Bytes of request bodies in memory.',
    bodies.inFlight,
  )
  if (connections)
    reading('farebox_connections', 'gauge', 'Open connections, idle ones included.', connections)
  reading(
    'farebox_worker_tasks',
    'gauge',
    'Tasks of worker threads, by pool: at a worker ("busy"), or waiting for one.',
    () =>
      Object.entries(pools).flatMap(([name, pool]) =>
        pool.load ? toStatePoints(pool.load(), { pool: name }) : [],
      ),
  )
  const responses = shareQuery(() => database.query('select 1'))
  reading('farebox_database_up', 'gauge', '1 while the database does a statement, else 0.', () =>
    responses().then(toOne, toZero),
  )
  reading(
    'farebox_clock_skew_seconds',
    'gauge',
    'How far the clock of this machine and that of the database differ.',
    () => Math.abs(clock.skewMs()) / 1000,
  )
  if (data !== undefined) {
    const disk = shareQuery(() => statfs(data))
    const bytes = async (blocks: 'bavail' | 'blocks') =>
      (({ bsize, [blocks]: count }) => bsize * count)(await disk())
    reading('farebox_data_free_bytes', 'gauge', 'Free bytes on the disk of the data folder.', () =>
      bytes('bavail'),
    )
    reading('farebox_data_size_bytes', 'gauge', 'Bytes of the disk of the data folder.', () =>
      bytes('blocks'),
    )
  }
  const holds = shareQuery(() => readOpenHolds(database))
  reading(
    'farebox_open_holds',
    'gauge',
    'Open holds, of all processes on the database.',
    async () => Number((await holds()).count),
  )
  reading('farebox_open_holds_usd', 'gauge', 'What they hold of balances, in USD.', async () =>
    toUsd((await holds()).usd),
  )
  const faults = shareQuery(audit.countFaults)
  reading(
    'farebox_ledger_faults',
    'gauge',
    'Faults that audits of the ledger found, each of which is in the log.',
    faults,
  )
  const jobs = shareQuery(() => countOpenJobs(database))
  reading(
    'farebox_video_jobs',
    'gauge',
    'Videos that are queued or running, in all processes on the database.',
    async () => toStatePoints(await jobs()),
  )
}

const toOne = () => 1
const toZero = () => 0

function toStatePoints(
  counts: Readonly<Record<string, number | bigint>>,
  labels: Readonly<Record<string, string>> = {},
) {
  return Object.entries(counts).map(([state, count]) => ({
    labels: { ...labels, state },
    value: Number(count),
  }))
}

/**
 * Concurrent scrapes share one query, so they occupy only one connection while the database does
 * not respond.
 */
function shareQuery<T>(query: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  const run = () =>
    (running ??= query().finally(() => {
      running = undefined
    }))
  return () => withTimeout(timeLimit(queryMs), run)
}
