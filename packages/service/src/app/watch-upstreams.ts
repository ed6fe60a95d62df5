import type { Upstreams } from './create-upstreams.js'
import type { Observers } from './observers.js'

/** How often upstreams are asked whose health check is due, in milliseconds. */
const everyMs = 1_000

/** Reports what upstreams do, and checks their health until `close`. */
export function watchUpstreams(
  upstreams: Upstreams,
  observers: Observers,
): { readonly close: () => Promise<void> } {
  addUpstreamMetrics(upstreams, observers)
  const stop = new AbortController()
  const check = () =>
    upstreams
      .check(stop.signal)
      .catch((error: unknown) => observers.onError(error, { requestId: 'health' }))
  const timer = setInterval(() => void check(), everyMs)
  timer.unref()
  return {
    close: async () => {
      clearInterval(timer)
      stop.abort()
    },
  }
}

/** Adds the load and the health of upstreams to the metrics, and their faults to the log. */
function addUpstreamMetrics(upstreams: Upstreams, { metrics, trouble }: Observers): void {
  upstreams.listen({ onEnd: metrics.upstreamCall, onTrouble: trouble })
  const read = (value: (status: ReturnType<Upstreams['states']>[number]) => number) => () =>
    upstreams.states().map((status) => ({
      labels: { capability: status.capability, upstream: status.upstream },
      value: value(status),
    }))
  metrics.reading(
    'farebox_upstream_in_flight',
    'gauge',
    'Requests at an upstream.',
    read(({ inFlight }) => inFlight),
  )
  metrics.reading(
    'farebox_upstream_healthy',
    'gauge',
    '0 while the health checks of an upstream fail, else 1.',
    read(({ healthy }) => (healthy ? 1 : 0)),
  )
  metrics.reading(
    'farebox_upstream_circuit_open',
    'gauge',
    '1 while no request is sent to an upstream because it failed, 0.5 while one request tries it, else 0.',
    read(({ circuit }) => ({ open: 1, 'half-open': 0.5, closed: 0 })[circuit]),
  )
}
