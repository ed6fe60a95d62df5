import type { VerifiedPayment } from '@farebox/auth/verify'
import type { ApiKeyType } from '@farebox/types'

/** A wallet that signed in, or that paid for its request. `account` is its address. */
export type WalletCaller = {
  readonly kind: 'wallet'
  readonly account: string
  readonly chain: VerifiedPayment['kind']
}

export type KeyCaller = {
  readonly kind: 'key'
  /** The account that pays. */
  readonly account: string
  readonly type: ApiKeyType
  /** Whether the account has the rate limits of partners. */
  readonly partner: boolean
  /** Missing for the key that the service was started with. */
  readonly keyId?: string
  /** Milliseconds since 1970. */
  readonly expiresAt?: number
}

export type Caller = WalletCaller | KeyCaller | { readonly kind: 'anonymous' }
