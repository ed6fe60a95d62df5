import { readDatabase } from '../domain/backup/read-database.js'
import { readRetention } from '../domain/retention.js'
import { serveFolder } from '../platform/database/folder-socket.js'
import { createClientAddress } from '../platform/server/client-address.js'
import { ticks as realTicks } from '../platform/time.js'
import { checkOptions } from './check-options.js'
import { openDomain, type Domain } from './domain.js'
import { openEdge, trackRequests, type Service } from './edge.js'
import { startWorkers } from './instrumented.js'
import { createObservers, type Observers, watchUpstreams } from './observers.js'
import { checkFacilitator, readPayeeOptions, requireSettlement } from './payments.js'
import { keepReconciled } from './reconcile-settlements.js'
import type { ServiceOptions } from './service-options.js'
import { openStorage, openTracedDatabase, type Storage } from './storage.js'
import { type PeriodicTask, startUpkeep } from './upkeep.js'
import { startVideo } from './video.js'

export type { Service } from './edge.js'
export type { ServiceOptions } from './service-options.js'

/**
 * Creates the service on a data folder or on PostgreSQL. Rejects with a FolderLockedError,
 * DatabaseUnreachableError or other StorageError, and with a RangeError for an invalid option.
 */
export async function createService(options: ServiceOptions): Promise<Service> {
  checkOptions(options)
  const { ticks = realTicks } = options
  const observers = createObservers(options, options.now ?? Date.now)
  const origin = readOrigin(options.origin)
  readPayeeOptions(options)
  checkFacilitator(options)
  requireSettlement(options, origin)
  const keep = readRetention(options.keep)
  const { ofRequest: findClientAddress } = createClientAddress(options.trustedProxies)
  const database = await openTracedDatabase(options)
  const workers = startWorkers(options, observers, ticks)
  const closing: PeriodicTask[] = Object.values(workers)
  const close = async () => {
    await Promise.all(closing.map((part) => part.close()))
    await database.close()
  }
  try {
    const storage = await openStorage(options, database)
    const domain = await openDomain(options, { storage, observers, origin, ticks })
    for await (const part of startBackground(options, { storage, domain, observers, keep }))
      closing.push(part)
    const video = startVideo(options, {
      ...domain,
      observers,
      ticks,
      origin,
      pepper: storage.pepper,
    })
    closing.push(video.worker)
    const edge = await openEdge(options, {
      storage,
      domain,
      workers,
      video,
      observers,
      origin,
      findClientAddress,
      ticks,
    })
    if (edge.reporting) closing.push(edge.reporting)
    return trackRequests(edge, close)
  } catch (error) {
    await close()
    throw error
  }
}

type BackgroundSources = {
  readonly storage: Storage
  readonly domain: Domain
  readonly observers: Observers
  readonly keep: ReturnType<typeof readRetention>
}

/** Starts the background work of the service. The caller closes each part. */
async function* startBackground(
  options: ServiceOptions,
  { storage, domain, observers, keep }: BackgroundSources,
): AsyncGenerator<PeriodicTask> {
  const { database, clock, lease, isExclusive } = storage
  const { metrics, onError, onLedgerFault, troubleWith } = observers
  const { telemetry, chainNodes: nodes, onDifference, data, upstreams } = options
  const reports = { metrics, telemetry, onError, onLedgerFault, onSkew: troubleWith('database') }
  yield await startUpkeep({ ...domain, ...reports, database, clock, lease, keep })
  if (nodes) {
    const reconciled = {
      ...readPayeeOptions(options),
      database,
      metrics,
      nodes,
      now: clock.now,
      onError,
    }
    yield keepReconciled({
      ...reconciled,
      onTrouble: troubleWith('chain-rpc'),
      onDifference: (difference) => onDifference?.(difference),
    })
  }
  if (isExclusive) await domain.jobs.requeue()
  if (data !== undefined) {
    const report = (error: unknown) => onError(error, { requestId: 'backup' })
    // `farebox-service backup` reads the embedded database of a running service through a socket
    const folder = await serveFolder(data, () => readDatabase(database), report).catch(report)
    if (folder) yield folder
  }
  if (upstreams) yield watchUpstreams(upstreams, observers)
}

/** The origin of a URL without a path. Throws a RangeError if the URL has one. */
function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.pathname === '/' &&
    url.search === '' &&
    url.username === ''
  )
    return url.origin
  throw new RangeError(
    `createService: origin is "${text}", expected only scheme, host and port, such as http://127.0.0.1:4020`,
  )
}
