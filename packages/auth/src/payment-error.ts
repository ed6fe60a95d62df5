import { cleanCause } from './clean-cause.js'

/** Why a payment was not made, or is not known to have been made. The list is closed. */
export type PaymentErrorCode =
  /** The 402 holds no offer that can be read. */
  | 'malformed_offer'
  /** No offer is for an allowed network, known USDC and an allowed payee. */
  | 'no_acceptable_offer'
  /** An offer asks for a signature under another EIP-712 domain than that of the known USDC contract. */
  | 'domain_mismatch'
  /** The service asks for more than `amountUsd`. */
  | 'amount_below_offer'
  | 'over_payment_cap'
  | 'over_daily_cap'
  /** The request cannot be sent a second time, so it was not sent with a payment. */
  | 'body_not_resendable'
  | 'signing_failed'
  /** Solana: the offer has no recent block hash, and `latestBlockhash` did not give one either. */
  | 'blockhash_unavailable'
  /** The service refused the signed payment; `reason` is its word for it. */
  | 'payment_refused'
  /** The service refused the signed payment, and its clock and ours are more than 15 minutes apart. The message names both. */
  | 'clock_mismatch'
  /** The payment was sent, and no definite answer came. It may have been settled: read the balance before paying again. */
  | 'outcome_unknown'

export type PaymentErrorDetails = ErrorOptions & {
  readonly payload?: string
  readonly reason?: string
  readonly status?: number
  readonly outcome?: 'unknown'
}

/** A payment that failed, or whose end is not known. Sending again is the payment's own business: `retryable` tells a retry to keep out. */
export class PaymentError extends Error {
  override readonly name = 'PaymentError'
  readonly code: PaymentErrorCode
  /** `not_paid`: nothing has moved. `unknown`: it may have been settled, and can be until the authorization runs out. */
  readonly outcome: 'not_paid' | 'unknown'
  readonly retryable = false
  readonly #payload: string | undefined
  /** The service's own word, cut to one short line. */
  readonly reason?: string
  /** The last status that the payment was answered with. */
  readonly status?: number

  constructor(code: PaymentErrorCode, message: string, { payload, reason, status, outcome, ...options }: PaymentErrorDetails = {}) {
    super(message, cleanCause(options))
    this.code = code
    this.outcome = outcome ?? 'not_paid'
    this.#payload = payload
    if (reason !== undefined) this.reason = reason
    if (status !== undefined) this.status = status
  }

  /**
   * The value of the payment header that was sent, when one was: with it the same payment, and only it, can be sent again. It is not among
   * what inspection, JSON and logs show.
   */
  get payload(): string | undefined {
    return this.#payload
  }
}
