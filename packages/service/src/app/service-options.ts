import type { Catalogue } from '../domain/models/catalogue.js'
import type { Facilitator } from '../domain/payments/facilitator-client.js'
import type { PaymentBackend } from '../domain/payments/payment-backend.js'
import type { PayeeOptions } from '../domain/payments/payment-rails.js'
import type { SolanaRpc } from '../domain/payments/solana.js'
import type { ChainNodes } from '../domain/reconciliation/chains.js'
import type { Difference } from '../domain/reconciliation/settlements.js'
import type { ResponseLimits } from '../domain/replay/stored-response.js'
import type { Retention } from '../domain/retention.js'
import type { SpeechBackend } from '../domain/speech/speech-backend.js'
import type { TextParser } from '../domain/text/text-parser.js'
import type { VideoBackend } from '../domain/video/video-backend.js'
import type { VideoInputLimits } from '../domain/video/video-inputs.js'
import type { AppOptions } from '../http/app.js'
import type { OperatorChange } from '../http/operator-api/operator-api.js'
import type { Database } from '../platform/database/database.js'
import type { RequestRecord } from '../platform/telemetry/log.js'
import type { Upstream } from '../platform/telemetry/metrics.js'
import type { Telemetry } from '../platform/telemetry/spans.js'
import type { Upstreams, LocalBackends } from './create-upstreams.js'

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
  /** The previous `adminKey`, which is still accepted. */
  readonly adminKeyOld?: string
  /** First credit of the administrator's account. Default: 100. */
  readonly adminCreditUsd?: number
  /**
   * Secret for the hashes of API keys and for stored responses. Default: random, kept in the
   * database. If it changes, `keyPepperOld` must be the previous one.
   */
  readonly keyPepper?: string
  /**
   * The previous pepper. Its API keys stay valid. Its stored responses and download URLs do not.
   */
  readonly keyPepperOld?: string
  /** Accepts a sign-in message more than once until it expires. Default: false. */
  readonly allowNonceReuse?: boolean
  /**
   * Whether wallets sign in and pay. Default: true. With a public origin, or an upstream that may
   * bill, the service needs a `facilitator`, `false` here, or `unsettledPayments`.
   */
  readonly wallets?: boolean
  /**
   * Credits payments that move no money, also with a public origin or upstreams. Default: false.
   */
  readonly unsettledPayments?: boolean
  /** Default: local verification, without a chain. */
  readonly payments?: PaymentBackend
  /** Settles payments on chain. It needs `payTo`, `payToSolana` or both. */
  readonly facilitator?: Facilitator & {
    /** CAIP-2. Default: Base and Solana, without test networks. */
    readonly networks?: readonly string[]
    /** Adds a recent blockhash to offers on Solana. Without it, clients ask a node of their own. */
    readonly solanaRpc?: SolanaRpc
    /**
     * Offers the scheme `upto` beside `exact` where a request is paid for (EVM), if the facilitator
     * supports it: the caller signs a maximum, and the service settles after the work what it cost.
     * The value is the maximum that is offered for a price that is not known yet, in USD, at least
     * 0.01. Default: not offered, because a settlement after the work can fail.
     */
    readonly uptoUsd?: number
  }
  /**
   * Addresses and CIDR ranges of reverse proxies. Behind them, callers without credentials are
   * identified by `Forwarded` or `X-Forwarded-For`. Default: none, so these headers are ignored.
   */
  readonly trustedProxies?: readonly string[]
  /** Models, voices, prices and limits, from `createCatalogue`. Default: those of the contract. */
  readonly catalogue?: Catalogue
  readonly textParser?: TextParser
  /** Default: the embedded synthesizer. */
  readonly speech?: SpeechBackend
  /** Backends of this process, used without `upstreams`. */
  readonly local?: LocalBackends
  /** Default: a local renderer of title cards. */
  readonly video?: VideoBackend
  /**
   * Other services that do the work. `textParser`, `speech` and `video` take precedence. `close`
   * closes them.
   */
  readonly upstreams?: Upstreams
  /**
   * Whether X-Farebox-Backend names the synthesizer, renderer or host, and the voice. Default:
   * only `upstream` or `embedded test model`.
   */
  readonly nameBackends?: boolean
  /** Videos that are made concurrently. One account gets at most half of them. Default: 4. */
  readonly videosAtOnce?: number
  /** Bounds of the prompts and media that wait for their video. */
  readonly videoInputs?: VideoInputLimits
  /** Bounds of the responses that are stored for repeats under an Idempotency-Key. */
  readonly storedResponses?: Partial<ResponseLimits>
  /**
   * How long data is kept, in milliseconds, at least 24 hours. Default: responses and videos 24
   * hours, Idempotency-Keys 7 days. Processes that share a database use the shortest time.
   */
  readonly keep?: Partial<Retention>
  /** An open database, which `close` closes. Default: PGlite in `data`. */
  readonly database?: Database
  /**
   * Milliseconds since 1970. Default: the time of the database, which processes share. The service
   * compares the clock of the machine with it, and is not ready while they differ by more than 30
   * s.
   */
  readonly now?: () => number
  /** Unique ids of requests and ledger entries. */
  readonly id?: () => string
  /** The open connections of the server in front of `fetch`, for `/metrics`. */
  readonly connections?: () => Promise<number>
  /** Called for each crash. */
  readonly onError?: AppOptions['onError']
  /** Called when an upstream fails. The error contains no secrets. */
  readonly onTrouble?: (trouble: Error, context: { readonly upstream: Upstream }) => void
  /** A file outside the database to which audits append the hashes that they verified. */
  readonly auditAnchor?: string
  /**
   * JSON-RPC nodes by the CAIP-2 name of their chain. Payments of the last seven days are compared
   * with them once a day.
   */
  readonly chainNodes?: ChainNodes
  /** Called for each payment that differs from its chain, on each day. */
  readonly onDifference?: (difference: Difference) => void
  /** Called once for each fault that an audit of the ledger finds. */
  readonly onLedgerFault?: (fault: {
    readonly account: string
    readonly entry: number
    readonly fault: string
  }) => void
  /** Called for each request once its response begins. */
  readonly onRequest?: (record: RequestRecord) => void
  /** Receives traces and metrics (`openTelemetry`). Close it after the service. */
  readonly telemetry?: Telemetry
  /** Milliseconds that never go back, for durations. */
  readonly ticks?: () => number
  /** The bearer key of `operator`, which is disabled without it. */
  readonly operatorKey?: string
  /** Whether `operator` may make changes. Default: it is read-only. */
  readonly operatorChanges?: boolean
  /** Called for each change that an operator made. */
  readonly onOperatorChange?: (change: OperatorChange) => void
  /** The bearer key of `/metrics`. Default: `adminKey`. Without either, it is disabled. */
  readonly metricsKey?: string
}
