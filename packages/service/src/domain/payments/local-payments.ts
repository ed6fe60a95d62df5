import { verifyPaymentAuthorization, type PaymentRequirements } from '@farebox/auth/verify'
import { localBlockhash, localBlockhashAge } from './local-blockhash.js'
import { offersOf } from './offers-of.js'
import type { PaymentBackend, VerifiedPayment } from './payment-backend.js'

export type LocalPaymentsOptions = {
  /** The EVM payee of offers. */
  readonly payTo: string
  /** The Solana payee of offers. Default: an address without an owner. */
  readonly payToSolana?: string
  readonly now: () => number
}

/** An EVM address without an owner. Nothing is submitted to a chain, so nothing arrives there. */
export const nobody = '0x000000000000000000000000000000000000dEaD'

/** The Solana address known as the incinerator. */
export const nobodyOnSolana = '1nc1nerator11111111111111111111111111111111'

/** An address without an owner, so that a chain would never accept the transaction. */
const feePayer = 'FareboxNobodyPaysTheFee11111111111111111111'

/** A chain accepts a blockhash for 150 blocks: 60 to 90 seconds. */
const blockhashLifeMs = 90_000

/**
 * Payments without a chain. Every field of the signed transfer is verified, and its settlement
 * always succeeds. The credit of the payer is not known.
 */
export function localPayments({ payTo, payToSolana = nobodyOnSolana, now }: LocalPaymentsOptions): PaymentBackend {
  const offers = (amount: bigint): readonly PaymentRequirements[] =>
    offersOf(amount, [
      { network: 'eip155:8453', payTo },
      {
        network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        payTo: payToSolana,
        extra: { feePayer, recentBlockhash: localBlockhash(now()) },
      },
    ])
  return {
    name: 'local',
    offers: async (amount) => offers(amount),
    verify: (payload, { min, max, at }) =>
      verifyPaymentAuthorization(payload, offers(min), { minAmount: min, maxAmount: max, now: at === undefined ? now : () => at }),
    settle: async (payment) =>
      isForgotten(payment, now())
        ? { status: 'failed', reason: 'invalid_exact_svm_transaction_simulation_failed' }
        : { status: 'settled', transaction: '' },
  }
}

/** Whether a chain would refuse the blockhash as too old. The age of other hashes is not known. */
function isForgotten(payment: VerifiedPayment, time: number): boolean {
  const age = payment.kind === 'solana' ? localBlockhashAge(payment.recentBlockhash, time) : undefined
  return age !== undefined && (age > blockhashLifeMs || age < 0)
}
