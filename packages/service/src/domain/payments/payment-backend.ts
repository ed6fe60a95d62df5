import {
  PaymentVerificationError,
  type PaymentRequirements,
  type VerifiedPayment,
} from '@farebox/auth/verify'
import { createHash } from 'node:crypto'

export type { VerifiedPayment }

export type VerifyTerms = {
  /** The accepted amounts, in micro-USD. */
  readonly min: bigint
  readonly max: bigint
  /** Checks the times of the payment at this time (milliseconds since 1970). Default: now. */
  readonly at?: number
}

/**
 * The outcome of a settlement. `unknown` becomes a 504, never a 402, after which the client would
 * sign again.
 */
export type Settlement =
  /** `transaction` is its hash, or empty without a chain. */
  | { readonly status: 'settled'; readonly transaction: string }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'unknown' }
  /** Another request is settling this payment. */
  | { readonly status: 'in progress' }
  /** The backend cannot be reached, and nothing has moved. */
  | { readonly status: 'unavailable' }

/** What a payment buys, for the catalogue of a facilitator. */
export type Bought = {
  readonly resource: {
    readonly url: string
    readonly description: string
    readonly mimeType: string
  }
  /** x402 extensions, such as `bazaar`. */
  readonly extensions: Readonly<Record<string, unknown>>
}

/** Verifies and settles payments: in this process, or by a facilitator. */
export type PaymentBackend = {
  /** For the X-Farebox-Backend header. */
  readonly name: string
  /** The current offers. `amount` is in micro-USD. */
  readonly offers: (amount: bigint) => Promise<readonly PaymentRequirements[]>
  /** Rejects with a PaymentVerificationError. */
  readonly verify: (payload: unknown, terms: VerifyTerms) => Promise<VerifiedPayment>
  /** Idempotent: the same payment may be settled again after a crash. */
  readonly settle: (payment: VerifiedPayment, bought: Bought) => Promise<Settlement>
  /**
   * Whether a settlement was sent and may still succeed, so that it is retried after the payment's
   * time.
   */
  readonly isOpen?: (payment: VerifiedPayment) => Promise<boolean>
}

/** Whether a payment was rejected as expired. */
export function isLate(error: unknown): boolean {
  return (
    error instanceof PaymentVerificationError &&
    error.code === 'invalid_exact_evm_payload_authorization_valid_before'
  )
}

/** A hash of the signed fields, so that one payment has one id in any envelope. */
export function paymentId(payment: VerifiedPayment): string {
  const { network, asset, payer, payTo, amount, nonce } = payment
  // the nonce of a Solana payment is the hash of the whole signed message
  const times = payment.kind === 'evm' ? [payment.validAfter, payment.validBefore] : []
  const signed = [network, asset, payer, payTo, amount, ...times, nonce].map((value) =>
    String(value).toLowerCase(),
  )
  return `pay_${createHash('sha256').update(JSON.stringify(signed)).digest('hex').slice(0, 32)}`
}
