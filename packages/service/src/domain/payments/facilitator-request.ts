import { usdcTokenOn, type PaymentRequirements } from '@farebox/auth/verify'
import type { Bought, VerifiedPayment } from './payment-backend.js'

/**
 * The body for `/verify` and `/settle`. It has the verified fields and the service's own terms,
 * never the envelope of the client.
 */
export function facilitatorRequest(payment: VerifiedPayment, requirements: PaymentRequirements, version: 1 | 2, bought: Bought): string {
  const { scheme, network, amount, ...terms } = requirements
  const { payload } = payment
  const { url, description, mimeType } = bought.resource
  if (version === 2) {
    const paymentPayload = { x402Version: 2, ...bought, accepted: requirements, payload }
    return JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: requirements })
  }
  const name = networkV1(network)
  return JSON.stringify({
    x402Version: 1,
    paymentPayload: { x402Version: 1, scheme, network: name, payload },
    paymentRequirements: { scheme, network: name, maxAmountRequired: amount, resource: url, description, mimeType, ...terms },
  })
}

/** The name of a network in version 1. */
export function networkV1(network: string): string {
  return usdcTokenOn(network)?.networkV1 ?? network
}
