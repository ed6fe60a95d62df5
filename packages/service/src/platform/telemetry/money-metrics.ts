import type { Labels, Registry } from './registry.js'

/** Whose work it is. */
export type WorkLabels = { readonly capability: string; readonly model: string }

export type MoneyMetrics = {
  /** A charge, with what its work cost the operator, where that is known. */
  readonly charged: (charge: WorkLabels & { readonly usd: number; readonly costUsd?: number }) => void
  /** Work that was not charged, but has cost the operator something. */
  readonly unpaid: (work: WorkLabels & { readonly costUsd: number }) => void
}

/** Revenue, cost and margin by capability and model, in USD. */
export function createMoneyMetrics({ counter, reading }: Registry): MoneyMetrics {
  const charges = counter('farebox_charges_total', 'Charges that were written into the ledger.')
  const revenue = counter('farebox_charged_usd_total', 'What they took, in USD, by capability and model.')
  const cost = counter('farebox_cost_usd_total', 'What upstreams bill for the work of those charges whose cost is known, in USD.')
  const unpaid = counter('farebox_unpaid_cost_usd_total', 'What upstreams bill for work that was not charged, in USD.')
  const margins = new Map<string, { readonly labels: Labels; value: number }>()
  reading(
    'farebox_margin_usd',
    'gauge',
    'Charges whose cost is known, less that cost and the cost of work that was not charged, in USD.',
    () => [...margins.values()],
  )
  const earn = (labels: WorkLabels, usd: number) => {
    const key = `${labels.capability}\0${labels.model}`
    margins.set(key, { labels, value: (margins.get(key)?.value ?? 0) + usd })
  }
  // alerts need a first value
  charges({}, 0)
  return {
    charged: ({ capability, model, usd, costUsd }) => {
      const labels = { capability, model }
      charges()
      revenue(labels, usd)
      if (costUsd === undefined) return
      cost(labels, costUsd)
      earn(labels, usd - costUsd)
    },
    unpaid: ({ capability, model, costUsd }) => {
      const labels = { capability, model }
      unpaid(labels, costUsd)
      earn(labels, -costUsd)
    },
  }
}
