import type { Caller } from '../domain/accounts/authenticate.js'
import type { Quota } from '../domain/limits/limits.js'
import type { RateTier } from '../domain/models/catalogue.js'

/** The state of one request on its way through the service. Each step sets its part. */
export type RequestContext = {
  readonly requestId: string
  /**
   * The name under which limits are counted: an account, or the network address of a request
   * without one.
   */
  callerId: string
  /**
   * Who is blocked by failures of this request, and whose block rejects it: the narrowest first,
   * such as a key before its account. Default: `callerId`.
   */
  parties?: readonly string[]
  caller: Caller
  rateTier: RateTier
  quota?: Quota
  /** The remaining credit, once something was charged. */
  balanceRemaining?: string
  /** A request with the same Idempotency-Key was charged before. */
  replayed?: boolean
  /** The payment of this request, once it is credited. */
  paid?: PaymentNotice
  /** Code of the error response. */
  errorCode?: string
}

/** What a response says of the payment that its request carried. */
type PaymentNotice = {
  readonly headers: Readonly<Record<string, string>>
  /** For a failed request: what happened to the payment, and the balance of its wallet in USD. */
  readonly advice?: string
  readonly balance?: string
}

/** Facts about a request that it does not carry itself. */
export type RequestInfo = {
  /** The network address of the peer: of the client, or of a proxy in front of the service. */
  readonly remoteAddress?: string
  /** Closes the connection at once. Without it, a body that fails is an error of its reader. */
  readonly breakOff?: () => void
}

/** The connection to the caller, which may end early. */
export type Client = {
  /**
   * Aborts when the connection ends or the body is cancelled. It is costly, so it is created on
   * first use.
   */
  readonly signal: AbortSignal
  /** The body was cancelled. */
  readonly leave: () => void
}
