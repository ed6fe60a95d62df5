import type { PaymentRequirements } from '../payment-requirements.js'
import { usdcMintOn, type UsdcMint } from '../solana/usdc-mints.js'
import { usdcOn, type UsdcContract } from '../usdc.js'
import { refusedPayment } from './payment-verification-error.js'
import type { PaymentPayload } from './read-payment-payload.js'

/** The known USDC of one network. */
export type Rail = { readonly kind: 'evm'; readonly usdc: UsdcContract } | { readonly kind: 'solana'; readonly usdc: UsdcMint }

/**
 * The offer that the client accepted. Every field of `accepted` must equal that of the offer,
 * except the amount and the fields that each offer renews.
 */
export function matchOffer(payment: PaymentPayload, offers: readonly PaymentRequirements[]): { offer: PaymentRequirements; rail: Rail } {
  const { network, accepted } = payment
  const rail = railOf(network)
  const onNetwork = offers.filter((offer) => rail && railOf(offer.network)?.usdc === rail.usdc && offer.scheme === 'exact')
  if (!rail || onNetwork.length === 0) throw refusedPayment('invalid_network', 'the network is not among the offers')
  const known = onNetwork.filter((offer) => sameAddress(rail, offer.asset, rail.usdc.asset))
  const ofAsset = known.filter((offer) => !accepted || sameAddress(rail, accepted['asset'], offer.asset))
  if (ofAsset.length === 0) throw refusedPayment('invalid_asset', 'the asset is not the one that was offered')
  const toPayee = ofAsset.filter((offer) => !accepted || sameAddress(rail, accepted['payTo'], offer.payTo))
  if (toPayee.length === 0) throw refusedPayment(otherPayee[rail.kind], '"accepted" names another payee than the offer')
  const offer = toPayee.find((one) => !accepted || sameTerms(rail, accepted, one))
  if (!offer) throw refusedPayment('invalid_payment_requirements', '"accepted" differs from what was offered')
  return { offer, rail }
}

/**
 * EVM addresses ignore case. Solana addresses are case-sensitive.
 */
export function sameAddress({ kind }: Pick<Rail, 'kind'>, one: unknown, other: string): boolean {
  return typeof one === 'string' && (kind === 'evm' ? one.toLowerCase() === other.toLowerCase() : one === other)
}

const otherPayee = {
  evm: 'invalid_exact_evm_payload_recipient_mismatch',
  solana: 'invalid_exact_svm_payload_recipient_mismatch',
} as const

/** Each offer has a new blockhash, so it is not compared. */
const termsOf = { evm: ['name', 'version'], solana: ['feePayer', 'memo'] } as const

function railOf(network: string): Rail | undefined {
  const contract = usdcOn(network)
  const mint = usdcMintOn(network)
  return contract ? { kind: 'evm', usdc: contract } : mint && { kind: 'solana', usdc: mint }
}

function sameTerms({ kind }: Rail, accepted: Readonly<Record<string, unknown>>, offer: PaymentRequirements): boolean {
  const extra = (accepted['extra'] ?? {}) as Readonly<Record<string, unknown>>
  return accepted['maxTimeoutSeconds'] === offer.maxTimeoutSeconds && termsOf[kind].every((name) => extra[name] === offer.extra?.[name])
}
