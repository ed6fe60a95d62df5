import { findUsdcToken, type PaymentRequirements } from '@farebox/auth/verify'
import { findRail } from './payment-rails.js'
import { networkV1 } from './facilitator-client.js'
import type { Bought } from './payment-backend.js'

/** A network with its payee. */
export type PaymentRoute = {
  /** CAIP-2. */
  readonly network: string
  readonly payTo: string
  /** On Solana: `feePayer`, and `recentBlockhash` if it is known. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** Offers to pay `amount` (micro-USD) on each route. */
export function listOffers(
  amount: bigint,
  routes: readonly PaymentRoute[],
): readonly PaymentRequirements[] {
  return routes.map(({ network, payTo, extra: more }) => {
    const asset = findUsdcToken(network)?.asset
    if (asset === undefined) throw new Error(`Payments: no USDC is known on ${network}`)
    const extra = { ...findRail(network).offerExtra(network), ...more }
    return {
      scheme: 'exact',
      network,
      amount: String(amount),
      asset,
      payTo,
      maxTimeoutSeconds: 300,
      extra,
    }
  })
}

/** Offers in version 1 of x402. Each keeps its `amount`, the name of version 2. */
export function offersV1(
  offers: readonly PaymentRequirements[],
  { url, ...resource }: Bought['resource'],
) {
  return offers.map((offer) => {
    const { network, amount } = offer
    return {
      ...offer,
      network: networkV1(network),
      maxAmountRequired: amount,
      resource: url,
      ...resource,
    }
  })
}
