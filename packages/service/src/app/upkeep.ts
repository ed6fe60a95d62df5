import { keyUsesEveryMs, type KeyUses } from '../domain/accounts/key-records.js'
import type { LedgerAudit } from '../domain/audit/ledger-audit.js'
import type { LedgerFault } from '../domain/ledger/audit.js'
import type { Ledger } from '../domain/ledger/ledger.js'
import { leaseSeconds, type ProcessLease } from '../domain/ledger/process-lease.js'
import type { PaymentBackend } from '../domain/payments/payment-backend.js'
import type { KeyedRequests } from '../domain/replay/keyed-requests.js'
import {
  purge,
  purgeLimits,
  purgeResponses,
  type Retention,
  purgeVideos,
} from '../domain/retention.js'
import type { VideoJobs } from '../domain/video/jobs.js'
import type { AppOptions } from '../http/app.js'
import type { DatabaseClock } from '../platform/database/database-clock.js'
import type { Database } from '../platform/database/database.js'
import type { Metrics } from '../platform/telemetry/metrics.js'
import { runInOpenSpan, type Telemetry } from '../platform/telemetry/spans.js'

type UpkeepParts = {
  readonly database: Database
  readonly clock: DatabaseClock
  readonly lease: ProcessLease
  readonly ledger: Pick<Ledger, 'undoUnfinished' | 'releaseExpired'>
  readonly requests: Pick<KeyedRequests, 'endUnfinished'>
  readonly jobs: Pick<VideoJobs, 'undoUnfinished'>
  readonly audit: Pick<LedgerAudit, 'round'>
  readonly uses: Pick<KeyUses, 'flush'>
  readonly terms: { readonly payments: Pick<PaymentBackend, 'upto'> }
  readonly keep: Retention
  readonly metrics: Pick<Metrics, 'reading'>
  readonly telemetry: Telemetry | undefined
  readonly onError: AppOptions['onError']
  readonly onLedgerFault: (fault: LedgerFault) => void
  /** Called when the clock of this machine starts to differ too much from the database's. */
  readonly onSkew: (error: Error) => void
}

/** One process in each interval audits. */
const auditMs = 60_000

/** How often settlements that failed are retried, each after a longer wait. */
const settleMs = 20_000

/**
 * Now and regularly until `close`: compares the clocks, renews the lease of the process, ends the
 * open holds and requests of this and of dead processes, deletes old rows, and writes the uses of
 * keys. Audits the ledger once a minute, and retries settlements of delivered work. `close` ends open holds and requests once more, and the
 * lease.
 */
export async function startUpkeep(
  parts: UpkeepParts,
): Promise<{ readonly close: () => Promise<void> }> {
  const {
    database,
    clock,
    lease,
    ledger,
    requests,
    jobs,
    audit,
    uses,
    terms,
    keep,
    onError,
    onLedgerFault,
    onSkew,
  } = parts
  const measured = measureTasks(parts)
  // a locked account fails one of them and must not stop the others
  const undo = sequenceTasks([ledger.undoUnfinished, jobs.undoUnfinished, requests.endUnfinished])
  let fault: Error | undefined
  const compareClocks = async () => {
    await clock.compare()
    const found = clock.fault()
    if (found && !fault) onSkew(found)
    fault = found
  }
  const releaseExpired = async () => void (fault ?? (await ledger.releaseExpired()))
  const release = sequenceTasks([compareClocks, lease.renew, undo, releaseExpired])
  const deleteOld = async () => {
    await compareClocks()
    // it is unknown which clock is right
    if (fault) return
    for (const purgeSome of [purge, purgeVideos, purgeResponses, purgeLimits])
      await purgeSome(database, clock.now(), keep)
  }
  const auditOnce = async () => {
    for (const found of (await audit.round(auditMs / 2)) ?? []) onLedgerFault(found)
  }

  const releasing = await repeat(measured('release', release), (leaseSeconds * 1000) / 3, onError)
  const deleting = await repeat(measured('purge', deleteOld), 60_000, onError)
  // the first one runs later, so that the start does not wait for it
  const auditing = repeatLater(measured('audit', auditOnce), auditMs, onError)
  // a chain may take a minute for each, so that the start does not wait for it
  const { upto } = terms.payments
  const settle = async () => void (fault ?? (await upto?.retry()))
  const settling = repeatLater(measured('settle', settle), settleMs, onError)
  const flushing = await repeat(measured('key-uses', uses.flush), keyUsesEveryMs, onError)
  return {
    close: async () => {
      await Promise.all(
        [releasing, deleting, auditing, settling, flushing].map((repeated) => repeated.close()),
      )
      // no other process knows of them
      const last = sequenceTasks([uses.flush, undo])
      await last().catch((error: unknown) => onError(error, { requestId: 'close' }))
      await lease.end()
    },
  }
}

type Task = 'release' | 'purge' | 'audit' | 'settle' | 'key-uses'

/** Exports when each task last succeeded, and traces each run. */
function measureTasks({ metrics, telemetry, clock }: UpkeepParts) {
  const succeededAt = new Map<Task, number>()
  metrics.reading(
    'farebox_upkeep_success_timestamp_seconds',
    'gauge',
    'When this process last did its upkeep, by task, in Unix seconds.',
    () => [...succeededAt].map(([task, at]) => ({ labels: { task }, value: at / 1000 })),
  )
  return (task: Task, work: () => Promise<void>) => {
    // a task that never succeeds is late from the start
    succeededAt.set(task, clock.now())
    return async () => {
      const span = telemetry?.startSpan({ name: `upkeep ${task}` })
      await (span === undefined ? work() : runInOpenSpan(span, work))
      succeededAt.set(task, clock.now())
    }
  }
}

/** Runs all tasks in sequence even if some reject. Rejects with the first error. */
export function sequenceTasks(works: readonly (() => Promise<void>)[]): () => Promise<void> {
  return async () => {
    const errors: unknown[] = []
    for (const work of works) await work().catch((error: unknown) => void errors.push(error))
    if (errors.length > 0) throw errors[0]
  }
}

export type PeriodicTask = { readonly close: () => Promise<void> }

/** Does the work now and then once per interval. Errors go to `onError`. */
export async function repeat(
  work: () => Promise<void>,
  everyMs: number,
  onError: AppOptions['onError'],
): Promise<PeriodicTask> {
  const repeated = repeatLater(work, everyMs, onError)
  await repeated.round()
  return repeated
}

/** Does the work once per interval, first after one interval. */
export function repeatLater(
  work: () => Promise<void>,
  everyMs: number,
  onError: AppOptions['onError'],
): PeriodicTask & { readonly round: () => Promise<void> } {
  const round = async () => {
    try {
      await work()
    } catch (error) {
      onError(error, { requestId: 'sweep' })
    }
  }
  let running: Promise<void> | undefined
  const timer = setInterval(() => void (running = round()), everyMs)
  timer.unref()
  return {
    round,
    close: async () => {
      clearInterval(timer)
      await running
    },
  }
}
