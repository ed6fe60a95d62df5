import { encodeJsonHeader, type VerifiedPayment } from '@farebox/auth/verify'
import { toNetworkV1 } from '../domain/payments/payment-rails.js'

/** PAYMENT-RESPONSE, for a payment of version 1 also with the name and the network of its clients. */
export function createSettlementHeaders(
  shape: VerifiedPayment['shape'],
  settled: Readonly<Record<string, unknown>> & { readonly network: string },
): Readonly<Record<string, string>> {
  const v1 = { ...settled, network: toNetworkV1(settled.network) }
  return {
    'payment-response': encodeJsonHeader(settled),
    ...(shape === 'v1' && { 'x-payment-response': encodeJsonHeader(v1) }),
  }
}
