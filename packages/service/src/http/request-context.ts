import type { OperationId } from '@farebox/types/operations'
import type { Caller } from '../domain/accounts/authenticate.js'
import type { Quota, RateTier } from '../domain/limits/quota.js'

/** The state of one request on its way through the service. Each step fills its part in. */
export type RequestContext = {
  readonly requestId: string
  /** Whom limits are counted against: an account, or the address that the request came from while there is none. */
  callerId: string
  caller: Caller
  rateTier: RateTier
  quota?: Quota
  /** Credit that is left, once something was paid. */
  balanceRemaining?: string
  /** The answer was given before, to a request of the same Idempotency-Key. */
  replayed?: boolean
  /** Code of the error that was answered. */
  refusal?: string
}

/** The log record of a request whose response began. It has nothing that the request carried. */
export type RequestRecord = {
  readonly requestId: string
  readonly method: string
  /** Missing where there is no such path. */
  readonly operation?: OperationId | 'download'
  readonly status: number
  /** Code of the error. */
  readonly code?: string
  /** From the request to the head of its answer. */
  readonly ms: number
  readonly caller: Caller['kind']
}

/** Settings of one call of the service's `fetch`. */
export type RequestInfo = {
  /** The address that the request came from, for limits on callers without credentials. */
  readonly remoteAddress?: string
}
