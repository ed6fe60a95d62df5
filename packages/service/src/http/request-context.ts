import type { Caller } from '../domain/accounts/caller.js'
import type { Quota, RateTier } from '../domain/limits/quota.js'

/** The state of one request on its way through the service. Each step sets its part. */
export type RequestContext = {
  readonly requestId: string
  /**
   * The name under which limits are counted: an account, or the network address of a request
   * without one.
   */
  callerId: string
  caller: Caller
  rateTier: RateTier
  quota?: Quota
  /** The remaining credit, once something was charged. */
  balanceRemaining?: string
  /** A request with the same Idempotency-Key was charged before. */
  replayed?: boolean
  /** Code of the error response. */
  refusal?: string
}

/** Facts about a request that it does not carry itself. */
export type RequestInfo = {
  /** The network address of the peer: of the client, or of a proxy in front of the service. */
  readonly remoteAddress?: string
}
