import { usdcOn, verifyPaymentAuthorization, type PaymentRequirements } from '@farebox/auth/verify'
import type { PaymentBackend } from './payment-backend.js'

export type LocalPaymentsOptions = {
  /** The address that offers name as payee. */
  readonly payTo: string
  readonly now: () => number
}

/** An address whose key nobody has. Nothing is ever submitted to a chain, so that nothing arrives there either. */
export const nobody = '0x000000000000000000000000000000000000dEaD'

const base = usdcOn('eip155:8453')

/**
 * Payments without a chain: everything that can be checked of a signed transfer is checked (signature, amount, payee, asset, network,
 * times), and settling is taken as done. Whether the payer has the money is not known. USDC on Base only.
 */
export function localPayments({ payTo, now }: LocalPaymentsOptions): PaymentBackend {
  return {
    name: 'local',
    offers: (amount) => [offer(amount, payTo)],
    verify: async (payload, { min, max, at }) => {
      const options = { minAmount: min, maxAmount: max, now: at === undefined ? now : () => at }
      const payment = await verifyPaymentAuthorization(payload, offer(min, payTo), options)
      if (payment.kind !== 'evm') throw new Error('Payments: a payment on Solana was taken, which is not offered')
      return payment
    },
    settle: async () => ({ status: 'settled', transaction: '' }),
  }
}

function offer(amount: bigint, payTo: string): PaymentRequirements {
  if (!base) throw new Error('Payments: the table of USDC contracts has no entry for Base')
  return {
    scheme: 'exact',
    network: base.network,
    amount: String(amount),
    asset: base.asset,
    payTo,
    maxTimeoutSeconds: 300,
    extra: { name: base.name, version: base.version },
  }
}
