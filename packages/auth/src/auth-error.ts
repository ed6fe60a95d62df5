import { cleanCause } from './clean-cause.js'

/** Why a call could not be signed in. The list is closed. */
export type AuthErrorCode =
  /** The API key or private key has an invalid form. */
  | 'invalid_key'
  /** The function that provides the API key failed. */
  | 'key_unavailable'
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
