import type { LedgerAudit } from '../domain/audit/ledger-audit.js'
import type { LedgerFault } from '../domain/ledger/audit-chains.js'
import type { Ledger } from '../domain/ledger/ledger.js'
import { leaseSeconds, type ProcessLease } from '../domain/ledger/process-lease.js'
import { purge } from '../domain/ledger/purge.js'
import { purgeLimitLogs } from '../domain/limits/purge-limit-logs.js'
import type { Retention } from '../domain/retention.js'
import type { KeyedRequests } from '../domain/replay/keyed-requests.js'
import { purgeResponses } from '../domain/replay/purge-responses.js'
import type { VideoJobs } from '../domain/video/jobs.js'
import { purgeVideos } from '../domain/video/purge-videos.js'
import type { AppOptions } from '../http/app.js'
import type { Database } from '../platform/database/database.js'
import type { DatabaseClock } from '../platform/database/database-clock.js'
import { allInTurn, repeat, repeatLater } from './upkeep.js'
import type { UpkeepRounds } from './upkeep-rounds.js'

export type UpkeepParts = {
  readonly database: Database
  readonly clock: DatabaseClock
  readonly lease: ProcessLease
  readonly ledger: Pick<Ledger, 'undoUnfinished' | 'releaseExpired'>
  readonly requests: Pick<KeyedRequests, 'endUnfinished'>
  readonly jobs: Pick<VideoJobs, 'undoUnfinished'>
  readonly audit: Pick<LedgerAudit, 'round'>
  readonly onLedgerFault: (fault: LedgerFault) => void
  readonly keep: Retention
  readonly rounds: UpkeepRounds
  readonly onError: AppOptions['onError']
  /** Called when the clock of this machine begins to differ too far from the database's. */
  readonly onSkew: (error: Error) => void
}

/** One process in each interval audits. */
const auditMs = 60_000

/**
 * Compares the clocks, renews the lease of the process, ends the open holds and requests of this and of dead processes,
 * and deletes old rows: now, and from time to time until `close`. `close` ends open holds and
 * requests once more, and the lease. Audits the ledger once a minute.
 */
export async function startUpkeep(parts: UpkeepParts): Promise<{ readonly close: () => Promise<void> }> {
  const { database, clock, lease, ledger, requests, jobs, audit, onLedgerFault, keep, rounds, onError, onSkew } = parts
  // an account that is locked fails one of them, and does not stop the others
  const undo = allInTurn([ledger.undoUnfinished, jobs.undoUnfinished, requests.endUnfinished])
  const { now } = clock
  let fault: Error | undefined
  const compareClocks = async () => {
    await clock.compare()
    const found = clock.fault()
    if (found && !fault) onSkew(found)
    fault = found
  }
  const releaseExpired = async () => void (fault ?? (await ledger.releaseExpired()))
  const release = allInTurn([compareClocks, lease.renew, undo, releaseExpired])
  const deleteOld = async () => {
    await compareClocks()
    // which of the two clocks is right is not known
    if (fault) return
    await purge(database, now(), keep)
    await purgeVideos(database, now(), keep)
    await purgeResponses(database, now(), keep)
    await purgeLimitLogs(database, now(), keep)
  }
  const releasing = await repeat(rounds('release', release), (leaseSeconds * 1000) / 3, onError)
  const deleting = await repeat(rounds('purge', deleteOld), 60_000, onError)
  const auditOnce = async () => {
    for (const fault of (await audit.round(auditMs / 2)) ?? []) onLedgerFault(fault)
  }
  // the first one later: a start does not wait for it
  const auditing = repeatLater(rounds('audit', auditOnce), auditMs, onError)
  return {
    close: async () => {
      await Promise.all([releasing.close(), deleting.close(), auditing.close()])
      // no other process knows of it
      await undo().catch((error: unknown) => onError(error, { requestId: 'close' }))
      await lease.end()
    },
  }
}
