import {
  PaymentVerificationError,
  type PaymentRequirements,
  type VerifiedPayment,
} from '@farebox/auth/verify'
import { createHash } from 'node:crypto'
import type { PaidWork } from '../ledger/charge-payment.js'
import type { MicroUsd } from '../ledger/money.js'

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
  /** Payments of the scheme `upto`, if they are taken. */
  readonly upto?: UptoPayments
}

/** Payments of the scheme `upto`: held for a call, then settled over what it cost. */
export type UptoPayments = {
  /** The maximum that is offered for a call whose price is not known yet, in micro-USD. */
  readonly offered: MicroUsd
  readonly offers: (most: MicroUsd) => readonly PaymentRequirements[]
  /** Rejects with a PaymentVerificationError. */
  readonly verify: (payload: unknown, terms: VerifyTerms) => Promise<VerifiedPayment>
  /** Asks the facilitator whether the maximum can be settled, and holds the payment for one call. */
  readonly hold: (payment: VerifiedPayment, bought: Bought) => Promise<UptoHold>
  /** Settles and charges what was delivered and failed to be settled or charged. */
  readonly retry: () => Promise<void>
}

/**
 * `used`: it was or is to be settled for other work. `stopped`: earlier work of the wallet is not
 * settled. `other deadline`: it ends before work and settlement could, or so late that what is not
 * settled would stay open for too long.
 */
export type UptoHold =
  | {
      readonly status: 'held'
      /** When the work must end, so that it can still be settled, in milliseconds since 1970. */
      readonly workUntil: number
      /**
       * Settles what the work cost, at most the maximum, and charges it. With `isDelivered` a
       * settlement that fails is kept and retried; otherwise only one whose outcome is unknown.
       */
      readonly settle: (
        amount: MicroUsd,
        work: PaidWork,
        isDelivered: boolean,
      ) => Promise<Settlement>
      /** Ends a hold for work that costs nothing. The payment can be used again. */
      readonly release: () => Promise<void>
    }
  | { readonly status: 'used' }
  | { readonly status: 'stopped' }
  | {
      readonly status: 'other deadline'
      readonly leastSeconds: number
      readonly mostSeconds: number
    }
  | Extract<Settlement, { readonly status: 'failed' | 'in progress' | 'unavailable' }>

/** Whether a payment was rejected as expired. */
export function isLate(error: unknown): boolean {
  return (
    error instanceof PaymentVerificationError &&
    (error.code === 'invalid_exact_evm_payload_authorization_valid_before' ||
      error.code === 'permit2_deadline_expired')
  )
}

/**
 * A hash of the signed fields, so that one payment has one id in any envelope. For the scheme `upto`
 * it is that of the nonce: work is done for one payment of a nonce at a time, since only one can be
 * settled after it.
 */
export function toPaymentId(payment: VerifiedPayment): string {
  const { scheme, network, asset, payer, payTo, amount, nonce } = payment
  // the nonce of a Solana payment is the hash of the whole signed message
  const times = payment.kind === 'evm' ? [payment.validAfter, payment.validBefore] : []
  const terms = scheme === 'upto' ? [scheme] : [payTo, amount, ...times]
  const signed = [network, asset, payer, ...terms, nonce].map((value) =>
    String(value).toLowerCase(),
  )
  return `pay_${createHash('sha256').update(JSON.stringify(signed)).digest('hex').slice(0, 32)}`
}
