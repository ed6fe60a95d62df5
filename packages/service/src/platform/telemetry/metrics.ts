import type { RequestRecord } from './request-record.js'
import type { UpstreamEvent } from '../upstream/upstream-pool.js'
import { createMoneyMetrics, type MoneyMetrics } from './money-metrics.js'
import { createRegistry, type Registry } from './registry.js'

export type Metrics = MoneyMetrics & {
  readonly request: (record: RequestRecord) => void
  readonly refunded: () => void
  readonly crashed: () => void
  readonly troubled: (upstream: Upstream) => void
  /** The end of a call of a backend, or of its stream. */
  readonly backendCall: (call: { readonly backend: string; readonly outcome: BackendOutcome; readonly ms: number }) => void
  /** The end of one request to an upstream. */
  readonly upstreamCall: (call: UpstreamEvent) => void
  readonly reading: Registry['reading']
  readonly collect: Registry['collect']
  readonly print: Registry['print']
}

const upstreams = ['database', 'facilitator', 'solana-rpc', 'chain-rpc', 'speech', 'video', 'text'] as const
export type Upstream = (typeof upstreams)[number]

/** `abandoned`: the caller disconnected. */
export type BackendOutcome = 'ok' | 'failed' | 'abandoned'

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** `startedAt` is in milliseconds since 1970. */
export function createMetrics(startedAt: number): Metrics {
  const registry = createRegistry()
  const requests = registry.counter(
    'farebox_requests_total',
    'Requests that were answered, by operation ("none": no such path) and status.',
  )
  const durations = registry.histogram('farebox_request_duration_seconds', 'From the request to the head of its answer.', seconds)
  const refusals = registry.counter('farebox_refusals_total', 'Answers of 400 and more, by operation, status and code.')
  const money = createMoneyMetrics(registry)
  const refunds = registry.counter('farebox_refunds_total', 'Charges that were given back.')
  const crashes = registry.counter('farebox_crashes_total', 'Faults of the service itself, each of which is in the log.')
  const troubles = registry.counter(
    'farebox_upstream_troubles_total',
    'Times that the database, a facilitator, a node, or an upstream of speech, video or text failed the service, each of which is in the log.',
  )
  const backendCalls = registry.counter('farebox_backend_calls_total', 'Calls of speech, text, video and payment backends, by outcome.')
  const backendSeconds = registry.histogram('farebox_backend_duration_seconds', 'How long those calls took.', seconds)
  const upstreamCalls = registry.counter('farebox_upstream_calls_total', 'Requests that were sent to an upstream, by outcome.')
  const upstreamSeconds = registry.histogram(
    'farebox_upstream_duration_seconds',
    'From a request to the first byte of speech, or to the end of other work, by upstream.',
    seconds,
  )
  // alerts need a first value
  for (const counter of [refunds, crashes]) counter({}, 0)
  for (const upstream of upstreams) troubles({ upstream }, 0)
  registry.reading('process_resident_memory_bytes', 'gauge', 'Resident memory of the process.', () => process.memoryUsage.rss())
  registry.reading('process_cpu_seconds_total', 'counter', 'Processor time of the process.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  registry.reading('process_start_time_seconds', 'gauge', 'When the service was made, in Unix seconds.', () => startedAt / 1000)

  return {
    request: ({ operation = 'none', status, code = 'none', ms }) => {
      requests({ operation, status: String(status) })
      durations({ operation }, ms / 1000)
      if (status >= 400) refusals({ operation, status: String(status), code })
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
