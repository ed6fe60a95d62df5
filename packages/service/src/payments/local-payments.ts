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
 * times), and settling is taken as done. Whether the payer has the money is not known. USDC on Base only, since a Solana payment cannot be verified yet.
 */
export function localPayments({ payTo, now }: LocalPaymentsOptions): PaymentBackend {
  return {
    name: 'local',
    offers: (amount) => [offer(amount, payTo)],
    verify: (payload, { min, max, at }) =>
      verifyPaymentAuthorization(payload, offer(min, payTo), { minAmount: min, maxAmount: max, now: at === undefined ? now : () => at }),
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
