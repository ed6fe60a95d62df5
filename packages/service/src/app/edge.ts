import { randomUUID } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import { applyCatalogue } from '../contract/catalogue-document.js'
import type { Services } from '../contract/handler.js'
import { createPaymentManifest } from '../contract/payment-required.js'
import { createKeyMatcher, createNonceStore } from '../domain/accounts/authenticate.js'
import { createImageStore } from '../domain/downloads/downloads.js'
import type { VideoServices } from '../domain/video/video-worker.js'
import { document } from '../generated/document.js'
import { createAdmission } from '../http/admission.js'
import { createApp } from '../http/app.js'
import { createBodyBudget } from '../http/read-body.js'
import { serveDownload } from '../http/download.js'
import { createOperationRunner } from '../http/operation-runner.js'
import { createOperatorPages, createPageLimit } from '../http/operator-pages.js'
import { createPaymentScheme } from '../http/payment-scheme.js'
import type { RequestInfo } from '../http/request-context.js'
import type { Database } from '../platform/database/database.js'
import type { ClientAddress } from '../platform/server/client-address.js'
import {
  createDrainableReadiness,
  createReadiness,
  type Readiness,
} from '../platform/telemetry/readiness.js'
import type { Domain } from './domain.js'
import { addGauges } from './gauges.js'
import type { Workers } from './instrumented.js'
import {
  type HandleRequest,
  countBeyondHold,
  countUnpaid,
  type Observers,
  traceRequests,
} from './observers.js'
import type { ServiceOptions } from './service-options.js'
import type { Storage } from './storage.js'
import { type PeriodicTask, repeat } from './upkeep.js'

export type Service = {
  /** Handles a request. Never rejects. */
  readonly fetch: (request: Request, info?: RequestInfo) => Promise<Response>
  /**
   * Handles a request of the operator, from a listener that the public cannot reach. Never rejects.
   * Returns 404 without an `operatorKey`.
   */
  readonly operator: (request: Request, info?: RequestInfo) => Promise<Response>
  /**
   * Makes `/readyz` return 503, so that a load balancer stops sending requests. Others are still
   * served.
   */
  readonly drain: () => void
  /** Waits for running requests, then closes the database and unlocks the folder. */
  readonly close: () => Promise<void>
}

type Edge = {
  readonly fetch: HandleRequest
  readonly operator: HandleRequest
  readonly drain: () => void
  /** Publishes the report of this process, if it has an operator. */
  readonly reporting?: PeriodicTask
}

/** Makes a service whose `close` waits for running requests and runs once. */
export function trackRequests(
  { fetch, operator, drain }: Edge,
  close: () => Promise<void>,
): Service {
  const running = new Set<Promise<Response>>()
  let closed: Promise<void> | undefined
  const track =
    (handle: HandleRequest): Service['fetch'] =>
    async (request, info = {}) => {
      const response = Promise.resolve(handle(request, info))
      running.add(response)
      try {
        return await response
      } finally {
        running.delete(response)
      }
    }
  return {
    fetch: track(fetch),
    operator: track(operator),
    drain,
    close: () => (closed ??= Promise.allSettled(running).then(close)),
  }
}

type EdgeSources = {
  readonly storage: Storage
  readonly domain: Domain
  readonly workers: Workers
  readonly video: VideoServices
  readonly observers: Observers
  readonly origin: string
  readonly findClientAddress: ClientAddress['ofRequest']
  readonly ticks: () => number
}

/** Serves the API, the operator's API, and the endpoints for monitoring. */
export async function openEdge(options: ServiceOptions, sources: EdgeSources): Promise<Edge> {
  const { storage, domain, observers, origin, findClientAddress } = sources
  const { now } = storage.clock
  const { metrics, onError } = observers
  const isAdminKey = createKeyMatcher(options.adminKey, options.adminKeyOld)
  const { ready, drain } = createDrainableReadiness(checkReadiness(options, sources))

  const fetch = createOperatorPages({
    origin,
    serviceName: domain.terms.serviceName,
    document: applyCatalogue(document, domain.catalogue),
    ready,
    manifest: () => createPaymentManifest(domain.terms),
    admits: createPageLimit(findClientAddress, now),
    metrics,
    isMetricsKey:
      options.metricsKey === undefined ? isAdminKey : createKeyMatcher(options.metricsKey),
    otherwise: traceRequests(options.telemetry, origin, openApi(options, sources, isAdminKey)),
  })
  const operator = await openOperator(options, sources, ready)
  options.telemetry?.sendMetrics(metrics)
  return { fetch, drain, ...operator }

  /** Its code is loaded only if there is a key. */
  async function openOperator(
    { operatorKey, operatorChanges = false, onOperatorChange, id = randomUUID }: ServiceOptions,
    { domain: { ledger, keys, uses } }: EdgeSources,
    ready: () => Promise<Readiness>,
  ): Promise<Pick<Edge, 'operator' | 'reporting'>> {
    if (operatorKey === undefined)
      return {
        operator: async () =>
          Response.json({ error: 'There is no operator key.', code: 'NOT_FOUND' }, { status: 404 }),
      }
    const { createOperatorApi } = await import('../http/operator-api/operator-api.js')
    const { operatorPage } = await import('../http/operator-api/operator-page.js')
    const { createProcessReports, reportEveryMs } =
      await import('../http/operator-api/process-reports.js')
    const { database, processId } = storage
    const reports = createProcessReports({
      database,
      processId,
      process: `${hostname()} ${process.pid}`,
      startedAt: now(),
      ready,
      metrics,
      errors: observers.errors,
      now,
    })
    const operator = createOperatorApi({
      database,
      ledger,
      keys,
      uses,
      reports,
      now,
      onError,
      operatorKey,
      allowsChanges: operatorChanges,
      pages: { '/': operatorPage },
      requestId: id,
      onChange: (change) => onOperatorChange?.(change),
    })
    return { operator, reporting: await repeat(reports.publish, reportEveryMs, onError) }
  }
}

function openApi(
  options: ServiceOptions,
  { storage, domain, workers, video, observers, origin, findClientAddress, ticks }: EdgeSources,
  isAdminKey: (key: string) => boolean,
): HandleRequest {
  const {
    id = randomUUID,
    allowNonceReuse = false,
    connections,
    data,
    nameBackends,
    wallets = true,
  } = options
  const { database, clock } = storage
  const { now } = clock
  const { ledger, terms, catalogue, keys, limits, limitLog, voices, requests, audit, uses } = domain
  const { metrics, onError, onRequest } = observers
  const { textParser, ...others } = workers
  const images = createImageStore(database, video.urls, now)
  // the part before the first semicolon does not name a supplier
  const showBackend = (backend: string) =>
    nameBackends === true ? backend : (backend.split(';')[0] ?? '')
  const services: Services = {
    shown: showBackend,
    ledger,
    terms,
    catalogue,
    ...workers,
    images,
    keys,
    limitLog,
    voices,
    video,
    now,
  }
  const bodies = createBodyBudget()
  addGauges(metrics, {
    database,
    clock,
    audit,
    bodies,
    pools: { text: textParser, ...others },
    connections,
    data,
  })
  const nonces = createNonceStore(database)
  const access = {
    origin,
    isAdminKey,
    keys,
    onKeyUse: uses.saw,
    nonces,
    allowNonceReuse,
    wallets,
    now,
  }
  const admission = createAdmission({ limits, catalogue, now, onExceeded: limitLog.record })
  const run = createOperationRunner({
    services,
    requests,
    access,
    admission,
    bodies,
    onUnpaid: countUnpaid(metrics, catalogue),
    onShortfall: countBeyondHold(metrics, catalogue),
    onError,
  })
  const download = (request: Request) => serveDownload(request, { ...video, images }, now())
  const app = createApp({
    run,
    download,
    admission,
    findClientAddress,
    id,
    now,
    onError,
    onRequest,
    ticks,
    paymentScheme: createPaymentScheme({ secret: storage.pepper, origin, now }),
  })
  return app.fetch
}

/** The embedded database needs room for each charge, and to clean up. */
const minFreeBytes = 32 * 1024 * 1024

async function requireSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < minFreeBytes) throw new Error(`The disk of ${folder} is full.`)
}

/**
 * A server does not say how full its disk is. A write finds out only where its table grows, so this
 * makes the server write some 300 kB of a result into a temporary file.
 */
async function requireServerSpace({ query }: Database): Promise<void> {
  await query(`select count(*)
    from (select set_config('work_mem', '64kB', true) as memory offset 0) setting,
      generate_series(length(memory), 20000)`)
}

function checkReadiness(
  { data, upstreams }: ServiceOptions,
  { storage, workers }: EdgeSources,
): () => Promise<Readiness> {
  const ofWorkers = Object.entries(workers).map(
    ([name, worker]) => [name, async () => worker.ready?.()] as const,
  )
  return createReadiness({
    // writes, because a standby can be read
    database: storage.lease.renew,
    ...(data !== undefined && storage.isExclusive && { disk: () => requireSpace(data) }),
    ...(!storage.isExclusive && { disk: () => requireServerSpace(storage.database) }),
    clock: async () => {
      const fault = storage.clock.fault()
      if (fault) throw fault
    },
    ...Object.fromEntries(ofWorkers),
    ...(upstreams && { upstreams: upstreams.ready }),
  })
}
