/** Why a call could not be signed in. The list is closed. */
export type AuthErrorCode =
  /** The API key or private key has an invalid form. */
  | 'invalid_key'
  /** The function that provides the API key failed. */
  | 'key_unavailable'
  /** The authorization server gave no access token. */
  | 'token_unavailable'
  /** The value that was passed to a signer cannot sign. */
  | 'invalid_signer'
  /** `origin` is not an http or https URL. */
  | 'invalid_origin'
  /** Credentials would go to another machine by plain HTTP. */
  | 'insecure_origin'
  /** The wallet declined or failed to sign. */
  | 'signing_failed'
  /** The service sent a redirect. Credentials do not follow redirects. */
  | 'redirect_refused'
  /** The service rejected the sign-in, and the clocks are more than 15 minutes apart. */
  | 'clock_mismatch'

/**
 * A call that could not be signed in. The message contains no key and no signature. `retryable:
 * false` keeps `retry` from resending the call.
 */
export class AuthError extends Error {
  override readonly name = 'AuthError'
  declare readonly code: AuthErrorCode
  readonly retryable = false

  constructor(code: AuthErrorCode, message: string, options?: ErrorOptions) {
    super(message, cleanCause(options))
    Object.assign(this, { code })
  }
}

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
   * The service could still settle an earlier payment that it rejected. Until `heldUntil` only the
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
  /** The service rejected the signed payment, and its `reason` proves that it submitted nothing. */
  | 'payment_refused'
  /**
   * The clocks are more than 15 minutes apart: nothing was signed, or the payment was rejected and
   * its outcome is unknown.
   */
  | 'clock_mismatch'
  /** It may be settled: nothing proves that it was not submitted. Read the balance first. */
  | 'outcome_unknown'
  /** The journal of payments cannot be read or written, so nothing was sent. */
  | 'journal_unavailable'

type PaymentErrorDetails = ErrorOptions & {
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

/**
 * Error options with a cause that is safe to show. The cause was thrown by foreign code (a wallet,
 * a key store, a node, fetch) and may contain secrets. Its name, code, message and cause are kept,
 * with every secret hidden. A value that throws when it is inspected is dropped.
 */
export function cleanCause({ cause }: ErrorOptions = {}): ErrorOptions {
  try {
    return cause === undefined ? {} : { cause: cleanError(cause) }
  } catch {
    return {}
  }
}

function cleanError(thrown: unknown): Error {
  const {
    name = 'Error',
    message = thrown,
    code,
    cause,
  } = Object(thrown) as { readonly [field in keyof Error | 'code']?: unknown }
  return Object.assign(new Error(hideSecrets(message), cleanCause({ cause })), {
    name: hideSecrets(name),
    // wallets use numbers for codes, Node uses strings
    ...(code !== undefined && { code: typeof code === 'number' ? code : hideSecrets(code) }),
  })
}

/**
 * The first line of an error thrown by foreign code, with every secret hidden, for the message of
 * our error.
 */
export function describeThrown(thrown: unknown): string {
  try {
    const { message = thrown } = Object(thrown) as { readonly message?: unknown }
    const [line = ''] = hideSecrets(message).trim().split('\n')
    return line.slice(0, 200) || 'no reason'
  } catch {
    return 'no reason'
  }
}

/**
 * Strings that may be a key, a signature or a header in any encoding, and lists of as many bytes.
 * EVM addresses and long error codes have the same length and are kept.
 */
const secrets =
  /(?<![\w+/=-])(0x[\da-fA-F]{40}|[a-z_]+)(?![\w+/=-])|[\w+/=-]{32,}|(?:\d+, ?){31,}\d+/g

/**
 * A string from foreign code, with every part as long as a secret replaced by `[hidden]`.
 */
export function hideSecrets(text: unknown): string {
  return String(text).replace(secrets, (_, publicText = '[hidden]') => publicText as string)
}
