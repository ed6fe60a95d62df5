import {
  findUsdcToken,
  verifyPaymentAuthorization,
  type PaymentRequirements,
  PaymentVerificationError,
} from '@farebox/auth/verify'
import { listOffers, paymentRails, type PayeeOptions } from './payment-rails.js'
import type { PaymentBackend, VerifiedPayment } from './payment-backend.js'
import { readLocalBlockhashAge } from './solana.js'

export type LocalPaymentsOptions = PayeeOptions & { readonly now: () => number }

/** A chain accepts a blockhash for 150 blocks: 60 to 90 seconds. */
const blockhashLifeMs = 90_000

/**
 * Payments without a chain. Every field of the signed transfer is verified, and its settlement
 * always succeeds. The credit of the payer is not known.
 */
export function localPayments({ now, ...payees }: LocalPaymentsOptions): PaymentBackend {
  const offers = (amount: bigint): readonly PaymentRequirements[] => {
    const known = Object.values(paymentRails).filter(({ network }) => findUsdcToken(network))
    return listOffers(
      amount,
      known.map(({ network, option, nobody, localExtra }) => ({
        network,
        payTo: payees[option] ?? nobody,
        extra: localExtra(now()),
      })),
    )
  }
  return {
    name: 'local',
    offers: async (amount) => offers(amount),
    verify: (payload, { min, max, at }) =>
      verifyPaymentAuthorization(payload, offers(min), {
        minAmount: min,
        maxAmount: max,
        now: at === undefined ? now : () => at,
      }),
    settle: async (payment) =>
      isForgotten(payment, now())
        ? { status: 'failed', reason: 'invalid_exact_svm_transaction_simulation_failed' }
        : { status: 'settled', transaction: '' },
  }
}

/** Whether a chain would reject the blockhash as too old. The age of other hashes is unknown. */
function isForgotten(payment: VerifiedPayment, time: number): boolean {
  const age =
    payment.kind === 'solana' ? readLocalBlockhashAge(payment.recentBlockhash, time) : undefined
  return age !== undefined && (age > blockhashLifeMs || age < 0)
}

/**
 * The payments of a service that does not accept wallets. Nothing is offered, so no payment
 * verifies.
 */
export const noPayments: PaymentBackend = {
  name: 'none',
  offers: async () => [],
  verify: () =>
    Promise.reject(
      new PaymentVerificationError(
        'invalid_payment_requirements',
        'This service takes no payments',
      ),
    ),
  settle: async () => ({ status: 'unavailable' }),
}
