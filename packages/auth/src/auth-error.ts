import { cleanCause } from './clean-cause.js'

/** What went wrong on our side of the wire. The list is closed. */
export type AuthErrorCode =
  /** An API key or private key that cannot be one. */
  | 'invalid_key'
  /** The source of the API key failed. */
  | 'key_unavailable'
  /** `evmSigner` got something that cannot sign. */
  | 'invalid_signer'
  /** `origin` is not an http or https address. */
  | 'invalid_origin'
  /** The wallet refused or failed to sign. */
  | 'signing_failed'
  /** The service answered with a redirect, which credentials do not follow. */
  | 'redirect_refused'
  /** The service refused the sign-in, and its clock and ours are more than 15 minutes apart. The message names both. */
  | 'clock_mismatch'

/** A call that could not be signed in. Its text holds no key and no signature. `retryable` tells a retry that another attempt is no use. */
export class AuthError extends Error {
  override readonly name = 'AuthError'
  declare readonly code: AuthErrorCode
  readonly retryable = false

  constructor(code: AuthErrorCode, message: string, options?: ErrorOptions) {
    super(message, cleanCause(options))
    this.code = code
  }
}
