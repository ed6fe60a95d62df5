import type { PaymentRequirements } from '../payment-requirements.js'
import { refusedPayment } from './payment-verification-error.js'
import { tokenOn, type Fields, type PaymentTerms, type Rail } from './rail.js'
import type { Envelope } from './read-envelope.js'

/**
 * The offer that the client accepted. Every field of `accepted` must equal that of the offer,
 * except the amount and the fields that each offer renews.
 */
export function matchOffer(rail: Rail, { network, accepted, shape }: Envelope, offers: readonly PaymentRequirements[]): PaymentTerms {
  const isSame = (one: unknown, other: string) => typeof one === 'string' && rail.isSame(one, other)
  const token = tokenOn(rail, network)
  const onNetwork = offers.filter((offer) => token && tokenOn(rail, offer.network) === token && offer.scheme === 'exact')
  if (!token || onNetwork.length === 0) throw refusedPayment('invalid_network', 'the network is not among the offers')
  const known = onNetwork.filter((offer) => isSame(offer.asset, token.asset))
  const ofAsset = known.filter((offer) => !accepted || isSame(accepted['asset'], offer.asset))
  if (ofAsset.length === 0) throw refusedPayment('invalid_asset', 'the asset is not the one that was offered')
  const toPayee = ofAsset.filter((offer) => !accepted || isSame(accepted['payTo'], offer.payTo))
  if (toPayee.length === 0) throw refusedPayment(rail.otherPayee, '"accepted" names another payee than the offer')
  const offer = toPayee.find((one) => !accepted || hasTerms(rail, accepted, one))
  if (!offer) throw refusedPayment('invalid_payment_requirements', '"accepted" differs from what was offered')
  return { offer, token, shape, ...(accepted && { accepted }) }
}

function hasTerms({ terms }: Rail, accepted: Fields, offer: PaymentRequirements): boolean {
  const extra = (accepted['extra'] ?? {}) as Fields
  return accepted['maxTimeoutSeconds'] === offer.maxTimeoutSeconds && terms.every((name) => extra[name] === offer.extra?.[name])
}
