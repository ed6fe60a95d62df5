import { randomBytes, randomUUID } from 'node:crypto'
import { adminAccount, keyMatcher } from './domain/accounts/authenticate.js'
import { createAdmission } from './http/admission.js'
import { createApiKeys, keptPepper } from './domain/accounts/api-keys.js'
import { createMemoryLimits } from './domain/limits/memory-limits.js'
import { createSharedLimits } from './domain/limits/shared-limits.js'
import { createNonceStore } from './domain/accounts/nonces.js'
import { createLimitLog } from './domain/limits/limit-log.js'
import type { Database } from './platform/database/database.js'
import { DatabaseUnavailableError } from './platform/database/database-unavailable.js'
import { migrate } from './platform/database/migrate.js'
import { openDatabase } from './platform/database/open-database.js'
import { createApp, type AppOptions } from './http/app.js'
import { createClientAddress } from './platform/server/client-address.js'
import type { RequestInfo } from './http/request-context.js'
import type { RequestRecord } from './platform/telemetry/request-record.js'
import { createOperationRunner } from './http/operation-runner.js'
import { document } from './generated/document.js'
import { leaseSeconds, openProcessLease } from './domain/ledger/process-lease.js'
import { purge } from './domain/ledger/purge.js'
import { createLedger } from './domain/ledger/ledger.js'
import { toMicroUsd } from './domain/ledger/money.js'
import { createMetrics, type Upstream } from './platform/telemetry/metrics.js'
import { createOperatorPages } from './http/operator/operator-pages.js'
import { createReadiness } from './platform/telemetry/readiness.js'
import { instrumentLedger, instrumentPayments, instrumentSpeech, instrumentText, instrumentVideo } from './instrumented.js'
import { createFacilitatorClient, facilitatorTimeouts, type Facilitator } from './domain/payments/facilitator-client.js'
import { facilitatorPayments } from './domain/payments/facilitator-payments.js'
import { localPayments } from './domain/payments/local-payments.js'
import { paymentRails, readPayees } from './domain/payments/payment-rails.js'
import type { PayeeOptions } from './domain/payments/service-rail.js'
import { createOpenPayments } from './domain/payments/open-payments.js'
import { createSolanaBlockhash, type SolanaRpc } from './domain/payments/solana-blockhash.js'
import type { PaymentBackend } from './domain/payments/payment-backend.js'
import { createEmbeddedSpeech } from './domain/speech/embedded-speech.js'
import type { SpeechBackend } from './domain/speech/speech-backend.js'
import { createVoices } from './domain/speech/voices.js'
import { createDownloadUrls } from './domain/video/download-urls.js'
import { createVideoJobs } from './domain/video/jobs.js'
import { createLocalRenderer } from './domain/video/local-renderer.js'
import { purgeVideos } from './domain/video/purge-videos.js'
import type { VideoInputLimits } from './domain/video/video-inputs.js'
import { createVideoWorker } from './domain/video/video-worker.js'
import { assumeFaces, type FaceDetector, type VideoBackend } from './domain/video/video-backend.js'
import { answerDownload } from './http/download.js'
import { ticks as realTicks } from './platform/ticks.js'
import { createMediaReader } from './domain/media/media-reader.js'
import { createTextParser, type TextParser } from './domain/text/text-parser.js'

export type ServiceOptions = PayeeOptions & {
  /**
   * Scheme, host and port that clients call. Sign-in messages must name it. The Host header is
   * ignored.
   */
  readonly origin: string
  /** Folder of the embedded database, locked until `close`. Default: the database is in memory. */
  readonly data?: string
  /** A PostgreSQL instead. Processes that share one share the ledger, nonces and limits. */
  readonly databaseUrl?: string
  /** Name in the sign-in statement, `Sign in to <serviceName> API`. Default: `Farebox`. */
  readonly serviceName?: string
  /** Bearer key of the administrator. Its account opens with `adminCreditUsd`. */
  readonly adminKey?: string
  /** First credit of the administrator's account. Default: 100. */
  readonly adminCreditUsd?: number
  /**
   * Secret of the hashes of API keys. A new one invalidates them. Default: random, kept in the
   * database.
   */
  readonly keyPepper?: string
  /** Accepts a sign-in message until it expires. Default: once. */
  readonly allowNonceReuse?: boolean
  /** Default: local verification, without a chain. */
  readonly payments?: PaymentBackend
  /** Settles payments on chain. It needs `payTo`, `payToSolana` or both. */
  readonly facilitator?: Facilitator & {
    /** CAIP-2. Default: Base and Solana, without test networks. */
    readonly networks?: readonly string[]
    /** Adds a recent blockhash to offers on Solana. Without it, clients ask a node of their own. */
    readonly solanaRpc?: SolanaRpc
  }
  /**
   * Addresses and CIDR ranges of reverse proxies. Behind them, callers without credentials count by
   * the address in `Forwarded` or `X-Forwarded-For`. Default: none, and these headers are ignored.
   */
  readonly trustedProxies?: readonly string[]
  readonly textParser?: TextParser
  /** Default: the embedded synthesizer. */
  readonly speech?: SpeechBackend
  /** Default: a local renderer of title cards. */
  readonly video?: VideoBackend
  /** Videos that are made at a time, of which one account gets at most half. Default: 4. */
  readonly videosAtOnce?: number
  /** Bounds of the prompts and media that wait for their video. */
  readonly videoInputs?: VideoInputLimits
  /** Default: assumes that every medium shows a face. */
  readonly detectFaces?: FaceDetector
  /** An open database, which `close` closes. Default: PGlite in `data`. */
  readonly database?: Database
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Unique ids of requests and ledger entries. */
  readonly id?: () => string
  /** Called for each crash. */
  readonly onError?: AppOptions['onError']
  /** Called when an upstream fails. The error has no secrets. */
  readonly onTrouble?: (trouble: Error, context: { readonly upstream: Upstream }) => void
  /** Called for each request once its response begins. */
  readonly onRequest?: (record: RequestRecord) => void
  /** Milliseconds that never go back, for durations. */
  readonly ticks?: () => number
  /** The bearer key of `/metrics`. Default: `adminKey`; without either nobody reads them. */
  readonly metricsKey?: string
}

/** Longer than a settlement takes, so that no two requests settle a payment at the same time. */
const settlementLeaseMs = facilitatorTimeouts.verify + facilitatorTimeouts.settle + 20_000

export type Service = {
  /** Answers a request. Never rejects. */
  readonly fetch: (request: Request, info?: RequestInfo) => Promise<Response>
  /** Waits for running requests, then closes the database and unlocks the folder. */
  readonly close: () => Promise<void>
}

/**
 * Creates the service on a data folder or a PostgreSQL. Rejects with a FolderLockedError,
 * DatabaseUnreachableError or other StorageError, and with a RangeError for an invalid option.
 */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { now = Date.now, ticks = realTicks, id = randomUUID, serviceName = 'Farebox', allowNonceReuse = false } = options
  const metrics = createMetrics(now())
  const onError: AppOptions['onError'] = (error, context) => {
    if (error instanceof DatabaseUnavailableError) return troubleWith('database')(error)
    metrics.crashed()
    options.onError?.(error, context)
  }
  const troubleWith = (upstream: Upstream) => (trouble: Error) => {
    metrics.troubled(upstream)
    options.onTrouble?.(trouble, { upstream })
  }
  const backends = { ...metrics, trouble: (upstream: 'speech' | 'video', what: string) => troubleWith(upstream)(new Error(what)) }
  const onRequest = (record: RequestRecord) => {
    metrics.request(record)
    options.onRequest?.(record)
  }
  const origin = readOrigin(options.origin)
  const payees = payeesOf(options)
  readFacilitator(options)
  const { ofRequest: addressOf } = createClientAddress(options.trustedProxies)
  const database = options.database ?? (await openDatabase(options))
  const textParser = instrumentText(options.textParser ?? createTextParser(), metrics, ticks)
  const media = createMediaReader()
  const speech = instrumentSpeech(options.speech ?? createEmbeddedSpeech(), backends, ticks)
  const closing: { readonly close: () => Promise<void> }[] = [textParser, media, speech]
  const closeAll = async () => {
    await Promise.all(closing.map((one) => one.close()))
    await database.close()
  }
  try {
    await migrate(database)
    // the lock of the folder excludes other processes
    const isAlone = options.databaseUrl === undefined
    const processId = randomUUID()
    const lease = await openProcessLease(database, processId, isAlone)
    const ledger = instrumentLedger(createLedger(database, { now, id, processId }), metrics)
    if (options.adminKey !== undefined) await ledger.openKeyAccount(adminAccount, toMicroUsd(options.adminCreditUsd ?? 100))
    const payments = instrumentPayments(options.payments ?? (await ownPayments()), metrics, ticks)
    const terms = { payments, origin, serviceName, now, nonce: () => randomBytes(8).toString('hex') }
    const pepper = options.keyPepper ?? (await keptPepper(database))
    const keys = createApiKeys(database, { now, pepper })
    const limitLog = createLimitLog(database, now)
    const limits = options.databaseUrl === undefined ? createMemoryLimits() : createSharedLimits(database)
    const admission = createAdmission({ limits, now, onExceeded: limitLog.record })
    const access = { origin, isAdminKey: keyMatcher(options.adminKey), keys, nonces: createNonceStore(database), allowNonceReuse, now }
    const releaseOpen = async () => {
      await lease.renew()
      await ledger.releaseExpired()
    }
    const purgeOld = async () => {
      await purge(database, now())
      await purgeVideos(database, now())
    }
    const releasing = await repeat(releaseOpen, (leaseSeconds * 1000) / 3, onError)
    closing.unshift({ close: () => releasing.close().then(lease.end) })
    closing.unshift(await repeat(purgeOld, 60_000, onError))
    const jobs = createVideoJobs(database, ledger, now, options.videoInputs)
    if (isAlone) await jobs.requeue()
    const backend = instrumentVideo(options.video ?? createLocalRenderer(), backends, ticks)
    const worker = createVideoWorker({
      jobs,
      ledger,
      backend,
      onError: (error) => onError(error, { requestId: 'video' }),
      ...(options.videosAtOnce !== undefined && { size: options.videosAtOnce }),
    })
    closing.unshift(worker)
    const video = { jobs, worker, backend, urls: createDownloadUrls(origin, pepper), detectFaces: options.detectFaces ?? assumeFaces }
    const services = { ledger, terms, textParser, media, keys, limitLog, speech, voices: createVoices(database, now), video, now }
    const run = createOperationRunner({ services, access, admission, onError })
    const download = (request: Request) => answerDownload(request, video, now())
    const app = createApp({ run, download, admission, addressOf, requestId: () => `req_${id()}`, now, onError, onRequest, ticks })
    const ready = createReadiness({
      database: () => database.query('select 1'),
      textParser: async () => textParser.ready?.(),
      media: media.ready,
      speech: async () => speech.ready?.(),
    })
    const metricsKey = options.metricsKey ?? options.adminKey
    const pages = createOperatorPages({ origin, serviceName, document, ready, metrics, ...(metricsKey !== undefined && { metricsKey }) })
    return underWay((request, info = {}) => pages(request) ?? Promise.resolve(app.fetch(request, info)), closeAll)
  } catch (error) {
    await closeAll()
    throw error
  }

  async function ownPayments(): Promise<PaymentBackend> {
    const { facilitator } = options
    if (facilitator === undefined) return localPayments({ ...payees, now })
    const open = createOpenPayments(database, { now, id, leaseMs: settlementLeaseMs })
    // the lock of the folder excludes other processes
    if (options.databaseUrl === undefined) await open.endAllLeases()
    return facilitatorPayments({
      client: createFacilitatorClient(facilitator),
      open,
      networks: facilitator.networks ?? Object.values(paymentRails).map(({ network }) => network),
      payees,
      resource: `${origin}/api/v1/x402/top-up`,
      now,
      ...(facilitator.solanaRpc && {
        blockhash: createSolanaBlockhash({ ...facilitator.solanaRpc, now, onTrouble: troubleWith('solana-rpc') }),
      }),
      onTrouble: troubleWith('facilitator'),
    })
  }
}

/** Does upkeep, now and again and again. */
async function repeat(
  upkeep: () => Promise<void>,
  everyMs: number,
  onError: AppOptions['onError'],
): Promise<{ readonly close: () => Promise<void> }> {
  const round = async () => {
    try {
      await upkeep()
    } catch (error) {
      onError(error, { requestId: 'sweep' })
    }
  }
  await round()
  let running: Promise<void> | undefined
  const timer = setInterval(() => void (running = round()), everyMs)
  timer.unref()
  return {
    close: async () => {
      clearInterval(timer)
      await running
    },
  }
}

/** Closes once, after all running requests. */
function underWay(fetch: (request: Request, info?: RequestInfo) => Promise<Response>, close: () => Promise<void>): Service {
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined
  return {
    fetch: (request, info) => {
      const answer = fetch(request, info)
      running.add(answer)
      void answer.catch(() => undefined).then(() => running.delete(answer))
      return answer
    },
    close: () => (closed ??= Promise.allSettled(running).then(close)),
  }
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && url.pathname === '/' && url.search === '' && url.username === '')
    return url.origin
  throw new RangeError(`createService: origin is "${text}", expected scheme, host and port alone, such as http://127.0.0.1:4020`)
}

function payeesOf(options: ServiceOptions): PayeeOptions {
  return readPayees(
    ({ option }) => options[option],
    ({ option, form }, found) => new RangeError(`createService: ${option} is "${found}", expected ${form}`),
  )
}

function readFacilitator({ facilitator, ...options }: ServiceOptions): void {
  if (facilitator === undefined) return
  if (!URL.canParse(facilitator.url)) throw new RangeError('createService: facilitator.url is not a URL')
  const payeeOptions = Object.values(paymentRails).map(({ option }) => option)
  if (payeeOptions.every((option) => options[option] === undefined)) {
    throw new RangeError(`createService: with a facilitator money moves; expected ${payeeOptions.join(' or ')}`)
  }
}
