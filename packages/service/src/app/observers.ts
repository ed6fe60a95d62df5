import { operations } from '@farebox/types/operations'
import type { LedgerFault } from '../domain/ledger/audit.js'
import { toUsd, type MicroUsd } from '../domain/ledger/money.js'
import { type Catalogue, findCapability } from '../domain/models/catalogue.js'
import { downloadPath } from '../domain/downloads/downloads.js'
import type { AppOptions } from '../http/app.js'
import type { RequestInfo } from '../http/request-context.js'
import { DatabaseUnavailableError } from '../platform/database/storage-error.js'
import {
  type RequestRecord,
  createRecentErrors,
  type RecentErrors,
} from '../platform/telemetry/log.js'
import { createMetrics, type Metrics, type Upstream } from '../platform/telemetry/metrics.js'
import {
  findActiveSpan,
  runInOpenSpan,
  type Attributes,
  type Telemetry,
} from '../platform/telemetry/spans.js'
import type { Upstreams } from './create-upstreams.js'
import type { ServiceOptions } from './service-options.js'

/** Where the parts of a service report what happens: to its metrics, and to its operator. */
export type Observers = {
  readonly metrics: Metrics
  readonly errors: RecentErrors
  /** Reports a crash. An unavailable database is reported as a failed upstream instead. */
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

/** Uncharged work that upstreams billed. */
type UnpaidWork = { readonly model: string; readonly cost: MicroUsd }

/** Counts work that cost more than was held for it. */
export function countBeyondHold({ beyondHold }: Pick<Metrics, 'beyondHold'>, catalogue: Catalogue) {
  return ({ model, cost }: UnpaidWork): void =>
    beyondHold({ capability: findCapability(catalogue, model), model, usd: toUsd(cost) })
}

/** Counts delivered work whose payment was not settled after it. */
export function countUnsettled({ unsettled }: Pick<Metrics, 'unsettled'>, catalogue: Catalogue) {
  return ({ model, cost }: UnpaidWork): void =>
    unsettled({ capability: findCapability(catalogue, model), model, usd: toUsd(cost) })
}

/** Counts unpaid work. */
export function countUnpaid({ unpaid }: Pick<Metrics, 'unpaid'>, catalogue: Catalogue) {
  return ({ model, cost }: UnpaidWork): void =>
    unpaid({ capability: findCapability(catalogue, model), model, costUsd: toUsd(cost) })
}

/** How often due health checks are started, in milliseconds. */
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

/** Never rejects. */
export type HandleRequest = (request: Request, info: RequestInfo) => Response | Promise<Response>

/**
 * Handles each request in a server span that continues the trace of the caller. The span follows
 * the OpenTelemetry conventions, but leaves out path, query and address, which may name a wallet or
 * carry a signature.
 */
export function traceRequests(
  telemetry: Telemetry | undefined,
  origin: string,
  response: HandleRequest,
): HandleRequest {
  if (telemetry === undefined) return response
  const { protocol, hostname, port } = new URL(origin)
  const server = {
    'url.scheme': protocol.slice(0, -1),
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  }
  return (request, info) => {
    const method = methods.has(request.method) ? request.method : '_OTHER'
    const attributes: Attributes = { ...server, 'http.request.method': method }
    const span = telemetry.startSpan(
      { name: toSpanName(method), kind: 'server', attributes },
      request.headers,
    )
    return span === undefined
      ? response(request, info)
      : runInOpenSpan(span, async () => response(request, info))
  }
}

/** Adds the record of a request to its span. */
function noteRequest({ requestId, method, operation, status, code, caller }: RequestRecord): void {
  const span = findActiveSpan()
  if (span === undefined) return
  const route =
    operation && (operation === 'download' ? downloadPath : `/api/v1${operations[operation].path}`)
  if (route !== undefined) span.rename(`${method} ${route}`)
  span.set({
    ...(route !== undefined && { 'http.route': route }),
    'http.response.status_code': status,
    'farebox.request_id': requestId,
    'farebox.caller': caller,
    ...(operation !== undefined && { 'farebox.operation': operation }),
    ...(code !== undefined && { 'farebox.code': code }),
  })
  // the caller is at fault for a 4xx
  if (status >= 500) span.fail(code ?? String(status))
}

const methods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
])

function toSpanName(method: string): string {
  return method === '_OTHER' ? 'HTTP' : method
}
