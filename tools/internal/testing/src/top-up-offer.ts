/** What a service asks for a top-up of 5 USD on Base (interface specification, discovery). */
export const topUpOffer = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '5000000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
} as const

/** The header of the 402 that makes the offer (x402 version 2). */
export function createPaymentRequired(offer: object = topUpOffer): {
  readonly 'payment-required': string
} {
  return { 'payment-required': btoa(JSON.stringify({ x402Version: 2, accepts: [offer] })) }
}
