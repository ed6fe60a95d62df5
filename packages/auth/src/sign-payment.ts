import { encodeJsonHeader } from './encode-json-header.js'
import type { PaymentRecord } from './journal/payment-store.js'
import type { Offer, PaymentRail, PaymentTerms } from './payment-rail.js'
import type { Offers } from './read-offers.js'

/** Signs one payment of an offer, with the offer's x402 version, and returns its record. */
export async function signPayment(
  rail: PaymentRail,
  { version, echo }: Offers,
  offer: Offer,
  { origin, ...terms }: PaymentTerms & { readonly origin: string },
): Promise<PaymentRecord> {
  const amount = String(terms.amount)
  const { nonce, payload, heldUntil } = await rail.sign(offer, terms)
  const document =
    version === 2
      ? { x402Version: 2, ...echo, accepted: { ...offer.entry, amount }, payload }
      : { x402Version: 1, scheme: 'exact', network: offer.entry['network'], payload }
  return {
    nonce,
    origin,
    payer: rail.payer,
    network: offer.network,
    amount,
    headerName: version === 2 ? 'PAYMENT-SIGNATURE' : 'X-PAYMENT',
    header: encodeJsonHeader(document),
    signedAt: terms.now,
    heldUntil,
    state: 'unanswered',
  }
}
