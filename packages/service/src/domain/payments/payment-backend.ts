import {
  PaymentVerificationError,
  type PaymentRequirements,
  type VerifiedEvmPayment,
  type VerifiedSolanaPayment,
} from '@farebox/auth/verify'

/** A payment that was found good, before anything has moved. Payer, network, asset and nonce are the key under which to credit once. */
export type VerifiedPayment = VerifiedEvmPayment | VerifiedSolanaPayment

export type VerifyTerms = {
  /** What may be paid, in micro-USD. */
  readonly min: bigint
  readonly max: bigint
  /** Checks the times of the payment as of this moment, in milliseconds since 1970, and not as of now. */
  readonly at?: number
}

/**
 * What became of a settlement. Unknown is neither success nor failure: it is answered with 504, never with a 402 that would make
 * the client sign again.
 */
export type Settlement =
  /** `transaction`: its hash; empty when no chain took part. */
  | { readonly status: 'settled'; readonly transaction: string }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'unknown' }
  /** Another request is settling this payment. */
  | { readonly status: 'in progress' }
  /** Nobody could be asked, and nothing has moved. */
  | { readonly status: 'unavailable' }

/** Who checks and moves the money of a top-up: this process by itself, or a facilitator. */
export type PaymentBackend = {
  /** Named in the X-Farebox-Backend header. */
  readonly name: string
  /** What can be paid now, and no more. `amount` in micro-USD. */
  readonly offers: (amount: bigint) => Promise<readonly PaymentRequirements[]>
  /** Refuses with a PaymentVerificationError. */
  readonly verify: (payload: unknown, terms: VerifyTerms) => Promise<VerifiedPayment>
  /** Must be repeatable: the same payment may be settled again after a crash, and then moves nothing. */
  readonly settle: (payment: VerifiedPayment) => Promise<Settlement>
  /** Whether a settlement was asked for and may yet turn out well, so that it is asked again even after the payment's time. */
  readonly isOpen?: (payment: VerifiedPayment) => Promise<boolean>
}

/** Whether a payment was refused because its time is over. */
export function isLate(error: unknown): boolean {
  return error instanceof PaymentVerificationError && error.code === 'invalid_exact_evm_payload_authorization_valid_before'
}
