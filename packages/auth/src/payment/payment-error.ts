import { cleanCause } from '../clean-cause.js'

/** Why a payment failed, or why its outcome is unknown. The list is closed. */
export type PaymentErrorCode =
  /** The 402 has no readable offer. */
  | 'malformed_offer'
  /** No offer has an allowed network, the USDC of that network and an allowed payee. */
  | 'no_acceptable_offer'
  /** The offer's EIP-712 domain is not USDC's. */
  | 'domain_mismatch'
  /** The service requires more than `amountUsd`. */
  | 'amount_below_offer'
  /**
   * The service could still settle an earlier payment, which it refused. Until `heldUntil` only the
   * same amount to the same payee is signed.
   */
  | 'earlier_payment_open'
  | 'over_payment_cap'
  | 'over_daily_cap'
  /** The request cannot be sent twice, so it was not sent with a payment. */
  | 'body_not_resendable'
  | 'signing_failed'
  /** Solana: the offer has no recent block hash, and `latestBlockhash` returned none. */
  | 'blockhash_unavailable'
  /** The service refused the signed payment, and its `reason` proves that it submitted nothing. */
  | 'payment_refused'
  /**
   * The clocks are more than 15 minutes apart: nothing was signed, or the payment was refused and
   * its outcome is unknown.
   */
  | 'clock_mismatch'
  /** It may be settled: nothing proves that it was not submitted. Read the balance first. */
  | 'outcome_unknown'
  /** The journal of payments cannot be read or written, so nothing was sent. */
  | 'journal_unavailable'

export type PaymentErrorDetails = ErrorOptions & {
  readonly payload?: string
  readonly reason?: string | undefined
  readonly status?: number
  readonly outcome?: 'unknown'
  readonly heldUntil?: number
}

/**
 * A payment that failed, or whose outcome is unknown. `payment` resends by itself: `retryable:
 * false` keeps `retry` from resending the call.
 */
export class PaymentError extends Error {
  override readonly name = 'PaymentError'
  readonly code: PaymentErrorCode
  /**
   * `not_paid`: no money has moved; if the service received a payment, by its own statement.
   * `unknown`: the payment may have been settled, or may be until `heldUntil`.
   */
  readonly outcome: 'not_paid' | 'unknown'
  readonly retryable = false
  readonly #payload: string | undefined
  /** The service's reason, cut to one short line. */
  readonly reason?: string
  /** The last status of a response to the payment. */
  readonly status?: number
  /** If a payment was sent: until when the service could settle it. Milliseconds since 1970. */
  readonly heldUntil?: number

  constructor(code: PaymentErrorCode, message: string, details: PaymentErrorDetails = {}) {
    const { payload, reason, status, heldUntil, outcome = 'not_paid' } = details
    super(message, cleanCause(details))
    this.code = code
    this.outcome = outcome
    this.#payload = payload
    if (reason !== undefined) this.reason = reason
    if (status !== undefined) this.status = status
    if (heldUntil !== undefined) this.heldUntil = heldUntil
  }

  /**
   * The value of the payment header, if one was sent. It allows only the same payment to be sent
   * again. Inspection, JSON and logs do not show it.
   */
  get payload(): string | undefined {
    return this.#payload
  }
}
