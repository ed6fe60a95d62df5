import { randomBytes, randomUUID } from 'node:crypto'
import { adminAccount, keyMatcher } from '../domain/accounts/authenticate.js'
import { createApiKeys } from '../domain/accounts/api-keys.js'
import { takePeppers } from '../domain/accounts/peppers.js'
import { createKeyAdministration } from '../domain/accounts/key-administration.js'
import { createKeyUses } from '../domain/accounts/key-uses.js'
import { createNonceStore } from '../domain/accounts/nonces.js'
import { anchorOf } from './open-anchor.js'
import { contractCatalogue } from '../domain/models/catalogue.js'
import { createLedgerAudit } from '../domain/audit/ledger-audit.js'
import { createLedger } from '../domain/ledger/ledger.js'
import { toMicroUsd } from '../domain/ledger/money.js'
import { openProcessLease } from '../domain/ledger/process-lease.js'
import { createLimitLog } from '../domain/limits/limit-log.js'
import { createMemoryLimits } from '../domain/limits/memory-limits.js'
import { createSharedLimits } from '../domain/limits/shared-limits.js'
import { createKeyedRequests } from '../domain/replay/keyed-requests.js'
import { readRetention } from '../domain/retention.js'
import { createVoices } from '../domain/speech/voices.js'
import { createVideoJobs } from '../domain/video/jobs.js'
import { catalogueDocument } from '../contract/catalogue-document.js'
import { createBazaar } from '../contract/bazaar.js'
import { paymentManifest } from '../contract/payment-manifest.js'
import { document } from '../generated/document.js'
import { addGauges } from './gauges.js'
import { createAdmission } from '../http/admission.js'
import { createApp } from '../http/app.js'
import { createBodyBudget } from '../http/body-budget.js'
import { answerDownload } from '../http/download.js'
import { createOperationRunner } from '../http/operation-runner.js'
import { createOperatorPages } from '../http/operator/operator-pages.js'
import { createPageLimit } from '../http/operator/page-limit.js'
import { tracedRequests } from '../http/traced-requests.js'
import { instrumentLedger, instrumentPayments } from './instrumented.js'
import { createObservers, type Observers } from './observers.js'
import { ownPayments } from './own-payments.js'
import type { Database } from '../platform/database/database.js'
import { migrate } from '../platform/database/migrate.js'
import { fixedClock, openDatabaseClock } from '../platform/database/database-clock.js'
import { tracedDatabase } from '../platform/database/traced-database.js'
import { openDatabase } from '../platform/database/open-database.js'
import { createClientAddress, type ClientAddress } from '../platform/server/client-address.js'
import { draining } from '../platform/telemetry/draining.js'
import { createReadiness } from '../platform/telemetry/readiness.js'
import { ticks as realTicks } from '../platform/ticks.js'
import { payeesOf, readFacilitator, readOrigin, requireSettlement } from './read-options.js'
import { underWay, type Service } from './service.js'
import type { ServiceOptions } from './service-options.js'
import { keepReconciled } from './keep-reconciled.js'
import { keepKeyUses } from './keep-key-uses.js'
import { startOperator } from './start-operator.js'
import { serveBackups } from './serve-backups.js'
import { startUpkeep } from './start-upkeep.js'
import { createUpkeepRounds } from './upkeep-rounds.js'
import { startVideo } from './start-video.js'
import { watchUpstreams } from './watch-upstreams.js'
import { countUnpaid } from './unpaid-work.js'
import { startWorkers, type WorkerParts } from './start-workers.js'

export type { Service } from './service.js'
export type { ServiceOptions } from './service-options.js'

/** The parts that are open before the database is migrated. */
type Opened = {
  readonly observers: Observers
  readonly origin: string
  readonly addressOf: ClientAddress['ofRequest']
  readonly database: Database
  readonly workers: WorkerParts
  /** What `close` closes, at once and before the database. */
  readonly closing: { readonly close: () => Promise<void> }[]
}

/**
 * Creates the service on a data folder or a PostgreSQL. Rejects with a FolderLockedError,
 * DatabaseUnreachableError or other StorageError, and with a RangeError for an invalid option.
 */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { ticks = realTicks } = options
  const observers = createObservers(options, options.now ?? Date.now)
  const origin = readOrigin(options.origin)
  payeesOf(options)
  readFacilitator(options)
  requireSettlement(options, origin)
  const { ofRequest: addressOf } = createClientAddress(options.trustedProxies)
  const opened = options.database ?? (await openDatabase(options))
  const database = options.telemetry ? tracedDatabase(opened) : opened
  const workers = startWorkers(options, observers, ticks)
  const closing: Opened['closing'] = Object.values(workers)
  const closeAll = async () => {
    await Promise.all(closing.map((one) => one.close()))
    await database.close()
  }
  try {
    return underWay(await startService(options, { observers, origin, addressOf, database, workers, closing }), closeAll)
  } catch (error) {
    await closeAll()
    throw error
  }
}

async function startService(
  options: ServiceOptions,
  { observers, origin, addressOf, database, workers, closing }: Opened,
): Promise<Omit<Service, 'close'>> {
  const { ticks = realTicks, id = randomUUID, serviceName = 'Farebox', allowNonceReuse = false, catalogue = contractCatalogue } = options
  const { metrics, onError, onRequest, troubleWith } = observers
  const keep = readRetention(options.keep)
  await migrate(database)
  const clock = options.now ? fixedClock(options.now) : await openDatabaseClock(database)
  const { now } = clock
  // the lock of the folder excludes other processes
  const isAlone = options.databaseUrl === undefined
  const processId = randomUUID()
  const lease = await openProcessLease(database, processId, isAlone)
  const ledger = instrumentLedger(createLedger(database, { now, id, processId }), metrics)
  if (options.adminKey !== undefined) await ledger.openKeyAccount(adminAccount, toMicroUsd(options.adminCreditUsd ?? 100))
  const backend = options.payments ?? (await ownPayments(options, { database, now, id, troubleWith }))
  const payments = instrumentPayments(backend, metrics, ticks)
  const terms = {
    payments,
    catalogue,
    origin,
    serviceName,
    now,
    nonce: () => randomBytes(8).toString('hex'),
    bazaar: createBazaar(document),
  }
  const { pepper, oldPepper } = await takePeppers(database, options)
  const stored = options.storedResponses && { limits: options.storedResponses }
  const requests = createKeyedRequests(database, { now, secret: pepper, processId, ...stored })
  const jobs = createVideoJobs(database, ledger, now, options.videoInputs)
  const audit = createLedgerAudit(database, { now, ...(await anchorOf(options.auditAnchor, database, now)) })
  const { onLedgerFault } = observers
  const rounds = createUpkeepRounds(metrics, options.telemetry, now)
  closing.push(
    await startUpkeep({
      database,
      clock,
      lease,
      ledger,
      requests,
      jobs,
      audit,
      onLedgerFault,
      keep,
      rounds,
      onError,
      onSkew: troubleWith('database'),
    }),
  )
  if (options.chainNodes) {
    const reconciling = { ...payeesOf(options), database, metrics, now, onError, onTrouble: troubleWith('chain-rpc') }
    closing.push(keepReconciled({ ...reconciling, nodes: options.chainNodes, onDifference: (one) => options.onDifference?.(one) }))
  }
  if (isAlone) await jobs.requeue()
  if (options.data !== undefined) closing.push(await serveBackups(options.data, database, onError))
  const video = startVideo(options, { jobs, catalogue, ledger, observers, ticks, origin, pepper })
  closing.push(video.worker)

  const keys = {
    ...createApiKeys(database, { now, pepper, ...(oldPepper !== undefined && { oldPepper }) }),
    ...createKeyAdministration(database, { now, pepper }),
  }
  const limitLog = createLimitLog(database, now)
  const limits = isAlone ? createMemoryLimits() : createSharedLimits(database)
  const admission = createAdmission({ limits, catalogue, now, onExceeded: limitLog.record })
  const uses = createKeyUses(database, now)
  closing.push(await keepKeyUses(uses, rounds, onError))
  const isAdminKey = keyMatcher(options.adminKey, options.adminKeyOld)
  const access = {
    origin,
    isAdminKey,
    keys,
    onKeyUse: uses.saw,
    nonces: createNonceStore(database),
    allowNonceReuse,
    wallets: options.wallets ?? true,
    now,
  }
  const { textParser, media, speech } = workers
  // the part before the first semicolon names no supplier
  const shown = (backend: string) => (options.nameBackends === true ? backend : (backend.split(';')[0] ?? ''))
  const services = { shown, ledger, terms, catalogue, ...workers, keys, limitLog, voices: createVoices(database, now), video, now }
  const bodies = createBodyBudget()
  const { connections, data } = options
  addGauges(metrics, { database, clock, audit, bodies, pools: { text: textParser, media, speech }, connections, data })
  if (options.upstreams) closing.push(watchUpstreams(options.upstreams, observers))
  const run = createOperationRunner({ services, requests, access, admission, bodies, onUnpaid: countUnpaid(metrics), onError })
  const download = (request: Request) => answerDownload(request, video, now())
  const app = createApp({ run, download, admission, addressOf, requestId: () => `req_${id()}`, now, onError, onRequest, ticks })
  const { ready, drain } = draining(
    createReadiness({
      database: () => database.query('select 1'),
      clock: async () => {
        const fault = clock.fault()
        if (fault) throw fault
      },
      textParser: async () => textParser.ready?.(),
      media: media.ready,
      speech: async () => speech.ready?.(),
      ...(options.upstreams && { upstreams: options.upstreams.ready }),
    }),
  )
  const admits = createPageLimit(addressOf, now)
  const manifest = () => paymentManifest(terms)
  const pages = createOperatorPages({
    origin,
    serviceName,
    document: catalogueDocument(document, catalogue),
    ready,
    manifest,
    admits,
    metrics,
    isMetricsKey: options.metricsKey === undefined ? isAdminKey : keyMatcher(options.metricsKey),
  })
  const operator = await startOperator(options, {
    database,
    ledger,
    keys,
    uses,
    errors: observers.errors,
    ready,
    metrics,
    now,
    id,
    onError,
  })
  options.telemetry?.sendMetrics(metrics)
  const answer = tracedRequests(options.telemetry, origin, async (request, info) => app.fetch(request, info))
  return { fetch: (request, info = {}) => pages(request, info) ?? answer(request, info), operator, drain }
}
