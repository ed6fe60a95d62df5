import type { PaymentRequirements } from '@farebox/auth/verify'
import { networkV1 } from './facilitator-request.js'
import type { Bought } from './payment-backend.js'

/** Offers in version 1 of x402. Each keeps its `amount`, the name of version 2. */
export function offersV1(offers: readonly PaymentRequirements[], { url, ...resource }: Bought['resource']) {
  return offers.map((offer) => {
    const { network, amount } = offer
    return { ...offer, network: networkV1(network), maxAmountRequired: amount, resource: url, ...resource }
  })
}
