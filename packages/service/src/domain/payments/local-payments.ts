import { verifyPaymentAuthorization, type PaymentRequirements } from '@farebox/auth/verify'
import { localBlockhash, localBlockhashAge } from './local-blockhash.js'
import { offersOf } from './offers-of.js'
import type { PaymentBackend, VerifiedPayment } from './payment-backend.js'

export type LocalPaymentsOptions = {
  /** The EVM address that offers name as payee. */
  readonly payTo: string
  /** The same on Solana. Default: an address that nobody has the key of. */
  readonly payToSolana?: string
  readonly now: () => number
}

/** An address whose key nobody has. Nothing is ever submitted to a chain, so that nothing arrives there either. */
export const nobody = '0x000000000000000000000000000000000000dEaD'

/** The same on Solana, where it is known as the incinerator. */
export const nobodyOnSolana = '1nc1nerator11111111111111111111111111111111'

/** Nobody has its key either: no transaction that asks it for the fee can ever be sent to the chain. */
const feePayer = 'FareboxNobodyPaysTheFee11111111111111111111'

/** For how long a chain remembers the hash of a block: 150 blocks, 60 to 90 seconds. */
const blockhashLifeMs = 90_000

/**
 * Payments without a chain: everything that can be checked of a signed transfer is checked (signature, amount, payee, asset, network,
 * times, every instruction of a Solana transaction), and settling is taken as done. Whether the payer has the money is not known.
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

/** Whether a chain would have forgotten the transaction. Of a hash that is not ours the age is not known. */
function isForgotten(payment: VerifiedPayment, time: number): boolean {
  const age = payment.kind === 'solana' ? localBlockhashAge(payment.recentBlockhash, time) : undefined
  return age !== undefined && (age > blockhashLifeMs || age < 0)
}
