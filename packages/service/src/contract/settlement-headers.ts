import { encodeJsonHeader, type VerifiedPayment } from '@farebox/auth/verify'
import { networkV1 } from '../domain/payments/payment-rails.js'

/** PAYMENT-RESPONSE, for a payment of version 1 also with the name and the network of its clients. */
export function settlementHeaders(
  shape: VerifiedPayment['shape'],
  settled: Readonly<Record<string, unknown>> & { readonly network: string },
): Readonly<Record<string, string>> {
  const v1 = { ...settled, network: networkV1(settled.network) }
  return {
    'payment-response': encodeJsonHeader(settled),
    ...(shape === 'v1' && { 'x-payment-response': encodeJsonHeader(v1) }),
  }
}
