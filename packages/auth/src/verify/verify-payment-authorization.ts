import type { PaymentRequirements } from '../payment/payment-rail.js'
import { refusedPayment } from './payment-verification-error.js'
import { tokenOn, type Fields, type PaymentTerms, type Rail } from './rail.js'
import { findRailKind, rails } from './rails.js'
import { readEnvelope, type Envelope } from './read-envelope.js'
import type { VerifiedPayment, VerifyPaymentOptions } from './verified-payment.js'

/**
 * Verifies an x402 payment of scheme "exact" with USDC against the server's offers. EVM: envelope,
 * scheme, network, asset, payee, amount, times and signature. Solana: the same for the transaction,
 * each instruction, the signers, and that the fee payer can lose only the fee. `payload` is the
 * decoded header, in any of three envelopes. Does not call a chain: only the settlement detects a
 * missing balance, a used nonce or an old blockhash. Throws a PaymentVerificationError if the
 * payment is refused.
 */
export async function verifyPaymentAuthorization(
  payload: unknown,
  requirements: PaymentRequirements | readonly PaymentRequirements[],
  options: VerifyPaymentOptions = {},
): Promise<VerifiedPayment> {
  const envelope = readEnvelope(payload)
  const rail: Rail = rails[findRailKind(envelope.network)]
  const payment = rail.read(envelope.payload)
  if (envelope.scheme !== 'exact')
    throw refusedPayment('unsupported_scheme', 'the scheme is not "exact"')
  const offers = Array.isArray(requirements) ? requirements : [requirements as PaymentRequirements]
  return rail.verify(payment, matchOffer(rail, envelope, offers), options)
}

/**
 * The offer that the client accepted. Every field of `accepted` must equal that of the offer,
 * except the amount and the fields that each offer renews.
 */
function matchOffer(
  rail: Rail,
  { network, accepted, shape }: Envelope,
  offers: readonly PaymentRequirements[],
): PaymentTerms {
  const isSame = (value: unknown, expected: string) =>
    typeof value === 'string' && rail.isSame(value, expected)
  const token = tokenOn(rail, network)
  const onNetwork = offers.filter(
    (offer) => token && tokenOn(rail, offer.network) === token && offer.scheme === 'exact',
  )
  if (!token || onNetwork.length === 0)
    throw refusedPayment('invalid_network', 'the network is not among the offers')
  const sameAsset = onNetwork.filter((offer) => isSame(offer.asset, token.asset))
  const acceptedAsset = sameAsset.filter(
    (offer) => !accepted || isSame(accepted['asset'], offer.asset),
  )
  if (acceptedAsset.length === 0)
    throw refusedPayment('invalid_asset', 'the asset is not the offered one')
  const samePayee = acceptedAsset.filter(
    (offer) => !accepted || isSame(accepted['payTo'], offer.payTo),
  )
  if (samePayee.length === 0)
    throw refusedPayment(rail.otherPayee, '"accepted" has another payee than the offer')
  const offer = samePayee.find((candidate) => !accepted || hasTerms(rail, accepted, candidate))
  if (!offer)
    throw refusedPayment('invalid_payment_requirements', '"accepted" differs from the offer')
  return { offer, token, shape, ...(accepted && { accepted }) }
}

function hasTerms({ terms }: Rail, accepted: Fields, offer: PaymentRequirements): boolean {
  const extra = (accepted['extra'] ?? {}) as Fields
  return (
    accepted['maxTimeoutSeconds'] === offer.maxTimeoutSeconds &&
    terms.every((name) => extra[name] === offer.extra?.[name])
  )
}
