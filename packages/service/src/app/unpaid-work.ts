import { toUsd, type MicroUsd } from '../domain/ledger/money.js'
import { capabilityOf } from '../domain/models/capability-of.js'
import type { Metrics } from '../platform/telemetry/metrics.js'

/** Work that was not charged, but has cost the operator something. */
export type UnpaidWork = { readonly model: string; readonly cost: MicroUsd }

/** Counts it. */
export function countUnpaid({ unpaid }: Pick<Metrics, 'unpaid'>) {
  return ({ model, cost }: UnpaidWork): void => unpaid({ capability: capabilityOf(model), model, costUsd: toUsd(cost) })
}
