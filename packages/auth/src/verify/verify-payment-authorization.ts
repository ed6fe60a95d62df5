import { isRecord } from '@farebox/middleware'
import { decodeJsonHeader } from '../encoding.js'
import type { PaymentRequirements } from '../payment/payment-rail.js'
import { PaymentVerificationError, createVerificationError } from './errors.js'
import {
  type Fields,
  createPayloadError,
  readOwnField,
  type PaymentTerms,
  type Rail,
  readStringField,
  findToken,
  type VerifiedPayment,
  type VerifyPaymentOptions,
  type KnownToken,
} from './rail.js'
import { evmRail } from './evm-rail.js'
import { solanaRail } from './solana-rail.js'
import { uptoRail } from './upto-rail.js'

/**
 * Verifies an x402 payment with USDC against the server's offers. EVM: envelope, scheme, network,
 * asset, payee, amount, times and signature. Solana: the same for the transaction, each instruction,
 * the signers, and that the fee payer can lose only the fee. `payload` is the decoded header, in any
 * of three envelopes. Throws a PaymentVerificationError if the payment is rejected.
 *
 * A payment of the scheme "upto" (EVM, Permit2) is verified if it is offered: also that only the
 * offered facilitator can settle it, by the contract of x402. Its amount is a maximum.
 *
 * Does not call a chain: only the settlement detects a missing balance or allowance, a used nonce
 * or an old blockhash.
 *
 * @param payload the decoded payment header
 * @param requirements the offers of the server
 * @example
 * ```ts
 * const payload = decodePaymentHeader(request.headers.get('payment-signature') ?? '')
 * const { payer, nonce, amount } = await verifyPaymentAuthorization(payload, offers)
 * ```
 */
export async function verifyPaymentAuthorization(
  payload: unknown,
  requirements: PaymentRequirements | readonly PaymentRequirements[],
  options: VerifyPaymentOptions = {},
): Promise<VerifiedPayment> {
  const envelope = readEnvelope(payload)
  const offers = Array.isArray(requirements) ? requirements : [requirements as PaymentRequirements]
  const rail = findRail(envelope, offers)
  if (envelope.scheme !== rail.scheme)
    throw createVerificationError('unsupported_scheme', 'the scheme is not among the offers')
  const payment = rail.read(envelope.payload)
  return rail.verify(payment, matchOffer(rail, envelope, offers), options)
}

/** "upto" is a scheme of EVM networks and of version 2, for servers that offer it. */
function findRail(
  { scheme, network, shape }: Envelope,
  offers: readonly PaymentRequirements[],
): Rail {
  const kind = findRailKind(network)
  const isOffered = offers.some((offer) => offer.scheme === uptoRail.scheme)
  return scheme === uptoRail.scheme && isOffered && kind === 'evm' && shape === 'v2'
    ? uptoRail
    : rails[kind]
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
  const token = findToken(rail, network)
  const onNetwork = offers.filter(
    (offer) => token && findToken(rail, offer.network) === token && offer.scheme === rail.scheme,
  )
  if (!token || onNetwork.length === 0)
    throw createVerificationError('invalid_network', 'the network is not among the offers')
  const sameAsset = onNetwork.filter((offer) => isSame(offer.asset, token.asset))
  const acceptedAsset = sameAsset.filter(
    (offer) => !accepted || isSame(accepted['asset'], offer.asset),
  )
  if (acceptedAsset.length === 0)
    throw createVerificationError('invalid_asset', 'the asset is not the offered one')
  const samePayee = acceptedAsset.filter(
    (offer) => !accepted || isSame(accepted['payTo'], offer.payTo),
  )
  if (samePayee.length === 0)
    throw createVerificationError(rail.otherPayee, '"accepted" has another payee than the offer')
  const differences = samePayee.map((offer) => accepted && findOtherTerm(rail, accepted, offer))
  const offer = samePayee[differences.indexOf(undefined)]
  if (!offer)
    throw createVerificationError(
      'invalid_payment_requirements',
      `"accepted" differs from the offer: ${differences[0]}`,
    )
  return { offer, token, shape, ...(accepted && { accepted }) }
}

/** The first field of `accepted` that is not that of the offer, with what was expected. */
function findOtherTerm(
  { terms }: Rail,
  accepted: Fields,
  offer: PaymentRequirements,
): string | undefined {
  const extra = (accepted['extra'] ?? {}) as Fields
  if (accepted['maxTimeoutSeconds'] !== offer.maxTimeoutSeconds)
    return `"maxTimeoutSeconds" is not ${offer.maxTimeoutSeconds}`
  const name = terms.find((term) => extra[term] !== offer.extra?.[term])
  return name && `"extra.${name}" is not ${JSON.stringify(offer.extra?.[name]) ?? 'left out'}`
}

/** The fields around the payload, from any of the envelopes. */
type Envelope = {
  /** The version by the shape: version 2 has `accepted`, version 1 a scheme and a network. */
  readonly shape: 'v2' | 'v1'
  readonly scheme: string
  /** As the client wrote it: CAIP-2, or a version 1 name. */
  readonly network: string
  /** Version 2: the offer that the client accepted. */
  readonly accepted?: Fields
  readonly payload: Fields
}

/**
 * The object in a payment header: strict base64 of JSON, at most 8 kB. Throws a
 * PaymentVerificationError of code `invalid_payload`.
 *
 * @example
 * ```ts
 * const payload = decodePaymentHeader(request.headers.get('payment-signature') ?? '')
 * ```
 */
export function decodePaymentHeader(value: string): Fields {
  const object = decodeJsonHeader(value)
  if (!object) throw createPayloadError('the header is not base64 of a JSON object of at most 8 kB')
  return object
}

/**
 * Reads the three envelopes that clients send: version 2, version 1, and that of the legacy client,
 * which states version 2 but has the flat shape of version 1. The shape decides, not the name of
 * the header.
 */
function readEnvelope(value: unknown): Envelope {
  if (!isRecord(value)) throw createPayloadError('it is not an object')
  const version = readOwnField(value, 'x402Version')
  if (version !== 1 && version !== 2) {
    throw new PaymentVerificationError(
      'invalid_x402_version',
      'Payment payload: "x402Version" is neither 1 nor 2',
    )
  }
  const accepted = readOwnField(value, 'accepted')
  if (accepted !== undefined && (!isRecord(accepted) || version !== 2))
    throw createPayloadError('"accepted" must be an object, and is only for version 2')
  const payload = readOwnField(value, 'payload')
  if (!isRecord(payload)) throw createPayloadError('"payload" is not an object')
  const [shape, fields] = isRecord(accepted)
    ? (['v2', accepted] as const)
    : (['v1', value] as const)
  const network = readStringField(fields, 'network')
  return {
    shape,
    scheme: readStringField(fields, 'scheme'),
    network,
    payload,
    ...(isRecord(accepted) && { accepted }),
  }
}

/** The payment rails of the scheme `exact`, by the `kind` of their payments. */
export const rails = { evm: evmRail, solana: solanaRail } satisfies {
  readonly [Kind in VerifiedPayment['kind']]: Rail
}

export type RailKind = keyof typeof rails

/**
 * The kind of rail of a network, by its CAIP-2 or version 1 name. `evm` for an unknown name.
 *
 * @example
 * ```ts
 * findRailKind('solana') // 'solana'
 * ```
 */
export function findRailKind(network: string): RailKind {
  return (
    (Object.keys(rails) as RailKind[]).find((kind) => rails[kind].networks.test(network)) ?? 'evm'
  )
}

/**
 * The known USDC of a network, by its CAIP-2 or version 1 name.
 *
 * @example
 * ```ts
 * findUsdcToken('base')?.network // 'eip155:8453'
 * ```
 */
export function findUsdcToken(network: string): KnownToken | undefined {
  return findToken<KnownToken>(rails[findRailKind(network)], network)
}
