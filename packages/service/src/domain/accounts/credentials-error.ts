import type { SiwxError } from '@farebox/auth/verify'

/** Credentials that are not accepted. The message is for the caller, and quotes no secret. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError'
  readonly reason: SiwxError['code'] | 'nonce_reused' | 'no_wallets' | 'unknown_key' | 'expired_key' | 'revoked_key' | 'needs_admin_key'

  constructor(reason: CredentialsError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
