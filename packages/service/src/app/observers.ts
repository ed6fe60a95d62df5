import type { LedgerFault } from '../domain/ledger/audit.js'
import type { AppOptions } from '../http/app.js'
import { DatabaseUnavailableError } from '../platform/database/storage-error.js'
import { createMetrics, type Metrics, type Upstream } from '../platform/telemetry/metrics.js'
import { createRecentErrors, type RecentErrors } from '../platform/telemetry/recent-errors.js'
import type { RequestRecord } from '../platform/telemetry/log.js'
import { noteRequest } from '../http/traced-requests.js'
import type { ServiceOptions } from './service-options.js'
import { toUsd, type MicroUsd } from '../domain/ledger/money.js'
import type { Catalogue } from '../domain/models/catalogue.js'
import { findCapability } from '../domain/models/find-capability.js'

/** Where the parts of a service report what happens: to its metrics, and to its operator. */
export type Observers = {
  readonly metrics: Metrics
  readonly errors: RecentErrors
  /** Reports a crash. A database that does not answer is the fault of an upstream instead. */
  readonly onError: AppOptions['onError']
  readonly onRequest: AppOptions['onRequest']
  readonly onLedgerFault: (fault: LedgerFault) => void
  readonly troubleWith: (upstream: Upstream) => (trouble: Error) => void
  readonly trouble: (upstream: Upstream, what: string) => void
}

export function createObservers(
  options: Pick<ServiceOptions, 'onError' | 'onTrouble' | 'onRequest' | 'onLedgerFault'>,
  now: () => number,
): Observers {
  const metrics = createMetrics(now())
  const errors = createRecentErrors(now)
  const troubleWith: Observers['troubleWith'] = (upstream) => (trouble) => {
    metrics.troubled(upstream)
    errors.troubled(upstream, trouble)
    options.onTrouble?.(trouble, { upstream })
  }
  return {
    metrics,
    errors,
    onError: (error, context) => {
      if (error instanceof DatabaseUnavailableError) return troubleWith('database')(error)
      metrics.crashed()
      errors.crashed(error, context)
      options.onError?.(error, context)
    },
    onRequest: (record: RequestRecord) => {
      metrics.request(record)
      noteRequest(record)
      errors.request(record)
      options.onRequest?.(record)
    },
    onLedgerFault: ({ account, number, fault }) =>
      options.onLedgerFault?.({ account, entry: Number(number), fault }),
    troubleWith,
    trouble: (upstream, what) => troubleWith(upstream)(new Error(what)),
  }
}

/** Work that was not charged, but has cost the operator something. */
export type UnpaidWork = { readonly model: string; readonly cost: MicroUsd }

/** Counts the price of work beyond what was held for it. */
export function countBeyondHold({ beyondHold }: Pick<Metrics, 'beyondHold'>, catalogue: Catalogue) {
  return ({ model, cost }: UnpaidWork): void =>
    beyondHold({ capability: findCapability(catalogue, model), model, usd: toUsd(cost) })
}

/** Counts it. */
export function countUnpaid({ unpaid }: Pick<Metrics, 'unpaid'>, catalogue: Catalogue) {
  return ({ model, cost }: UnpaidWork): void =>
    unpaid({ capability: findCapability(catalogue, model), model, costUsd: toUsd(cost) })
}
