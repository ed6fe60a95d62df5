import type { Upstreams } from './create-upstreams.js'
import type { Observers } from './observers.js'
import { addUpstreamMetrics } from './upstream-metrics.js'

/** How often upstreams are asked whose health check is due, in milliseconds. */
const everyMs = 1_000

/** Reports what upstreams do, and checks their health until `close`. */
export function watchUpstreams(upstreams: Upstreams, observers: Observers): { readonly close: () => Promise<void> } {
  addUpstreamMetrics(upstreams, observers)
  const stop = new AbortController()
  const check = () => upstreams.check(stop.signal).catch((error: unknown) => observers.onError(error, { requestId: 'health' }))
  const timer = setInterval(() => void check(), everyMs)
  timer.unref()
  return {
    close: async () => {
      clearInterval(timer)
      stop.abort()
    },
  }
}
