import type { RequestRecord } from './log.js'
import { capabilities } from '../upstream/upstream-settings.js'
import type { UpstreamEvent } from '../upstream/upstream-pool.js'
import { createRegistry, type Registry, type Labels } from './registry.js'

export type Metrics = MoneyMetrics & {
  readonly request: (record: RequestRecord) => void
  readonly refunded: () => void
  readonly crashed: () => void
  readonly troubled: (upstream: Upstream) => void
  /** The end of a call of a backend, or of its stream. */
  readonly backendCall: (call: {
    readonly backend: string
    readonly outcome: BackendOutcome
    readonly ms: number
  }) => void
  /** The end of one request to an upstream. */
  readonly upstreamCall: (call: UpstreamEvent) => void
  readonly reading: Registry['reading']
  readonly collect: Registry['collect']
  readonly print: Registry['print']
}

const upstreams = ['database', 'facilitator', 'solana-rpc', 'chain-rpc', ...capabilities] as const
export type Upstream = (typeof upstreams)[number]

/** `abandoned`: the caller disconnected. */
export type BackendOutcome = 'ok' | 'failed' | 'abandoned'

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** `startedAt` is in milliseconds since 1970. */
export function createMetrics(startedAt: number): Metrics {
  const registry = createRegistry()
  const requests = registry.counter(
    'farebox_requests_total',
    'Requests, by operation ("none": no such path) and status.',
  )
  const durations = registry.histogram(
    'farebox_request_duration_seconds',
    'From the request to the head of its response.',
    seconds,
  )
  const rejections = registry.counter(
    'farebox_refusals_total',
    'Responses of 400 and above, by operation, status and code.',
  )
  const money = createMoneyMetrics(registry)
  const refunds = registry.counter('farebox_refunds_total', 'Charges that were given back.')
  const crashes = registry.counter(
    'farebox_crashes_total',
    'Faults of the service itself, each of which is in the log.',
  )
  const troubles = registry.counter(
    'farebox_upstream_troubles_total',
    'Times that the database, a facilitator, a node, or an upstream failed the service, each of which is in the log.',
  )
  const backendCalls = registry.counter(
    'farebox_backend_calls_total',
    'Calls of backends, by outcome.',
  )
  const backendSeconds = registry.histogram(
    'farebox_backend_duration_seconds',
    'How long those calls took.',
    seconds,
  )
  const upstreamCalls = registry.counter(
    'farebox_upstream_calls_total',
    'Requests that were sent to an upstream, by outcome.',
  )
  const upstreamSeconds = registry.histogram(
    'farebox_upstream_duration_seconds',
    'From a request to the first byte of speech, or to the end of other work, by upstream.',
    seconds,
  )
  // alerts need a first value
  for (const counter of [refunds, crashes]) counter({}, 0)
  for (const upstream of upstreams) troubles({ upstream }, 0)
  registry.reading(
    'process_resident_memory_bytes',
    'gauge',
    'Resident memory of the process.',
    () => process.memoryUsage.rss(),
  )
  registry.reading('process_cpu_seconds_total', 'counter', 'Processor time of the process.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  registry.reading(
    'process_start_time_seconds',
    'gauge',
    'When the service was made, in Unix seconds.',
    () => startedAt / 1000,
  )

  return {
    request: ({ operation = 'none', status, code = 'none', ms }) => {
      requests({ operation, status: String(status) })
      durations({ operation }, ms / 1000)
      if (status >= 400) rejections({ operation, status: String(status), code })
    },
    ...money,
    refunded: () => refunds(),
    crashed: () => crashes(),
    troubled: (upstream) => troubles({ upstream }),
    backendCall: ({ backend, outcome, ms }) => {
      backendCalls({ backend, outcome })
      backendSeconds({ backend }, ms / 1000)
    },
    upstreamCall: ({ capability, upstream, outcome, ms }) => {
      upstreamCalls({ capability, upstream, outcome })
      upstreamSeconds({ capability, upstream }, ms / 1000)
    },
    reading: registry.reading,
    collect: registry.collect,
    print: registry.print,
  }
}

/** Whose work it is. */
type WorkLabels = { readonly capability: string; readonly model: string }

type MoneyMetrics = {
  /** A charge, with what its work cost the operator, if known. */
  readonly charged: (
    charge: WorkLabels & { readonly usd: number; readonly costUsd?: number },
  ) => void
  /** Uncharged work that upstreams billed. */
  readonly unpaid: (work: WorkLabels & { readonly costUsd: number }) => void
  /** The price of work beyond what was held for it, which is not charged. */
  readonly beyondHold: (work: WorkLabels & { readonly usd: number }) => void
  /** The price of delivered work whose payment was not settled after it. It is retried. */
  readonly unsettled: (work: WorkLabels & { readonly usd: number }) => void
}

/** Revenue, cost and margin by capability and model, in USD. */
function createMoneyMetrics({ counter, reading }: Registry): MoneyMetrics {
  const charges = counter('farebox_charges_total', 'Charges that were written into the ledger.')
  const revenue = counter(
    'farebox_charged_usd_total',
    'What they took, in USD, by capability and model.',
  )
  const cost = counter(
    'farebox_cost_usd_total',
    'What upstreams bill for the work of those charges whose cost is known, in USD.',
  )
  const unpaid = counter(
    'farebox_unpaid_cost_usd_total',
    'What upstreams bill for work that was not charged, in USD.',
  )
  const beyondHold = counter(
    'farebox_beyond_hold_usd_total',
    'The price of work beyond what was held for it, which was not charged, in USD.',
  )
  const unsettled = counter(
    'farebox_unsettled_usd_total',
    'The price of delivered work whose payment by `upto` was not settled after it, in USD.',
  )
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
    beyondHold: ({ capability, model, usd }) => beyondHold({ capability, model }, usd),
    unsettled: ({ capability, model, usd }) => unsettled({ capability, model }, usd),
  }
}
