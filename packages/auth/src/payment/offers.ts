import { discard, isRecord } from '@farebox/middleware'
import { decodeJsonHeader, mostCharacters } from '../encoding.js'
import { PaymentError } from './payment-error.js'
import { readJson } from '../read-body.js'
import { objectionTo, type Objection, type Offer, type PaymentRail } from './payment-rail.js'

/** The offers of a 402, not yet validated. */
export type Offers = {
  readonly version: 1 | 2
  readonly accepts: readonly Readonly<Record<string, unknown>>[]
  /** Version 2: fields that the payment sends back unchanged. */
  readonly echo: Readonly<Record<string, unknown>>
}

/**
 * Reads the offers of a 402: the PAYMENT-REQUIRED header of version 2, else, also if that is too
 * large or cannot be read, the body of either version. Consumes the response.
 */
export async function readOffers(response: Response): Promise<Offers> {
  const header = response.headers.get('payment-required')
  const inHeader = decodeJsonHeader(header)
  const offers = offersOf(inHeader)
  if (offers) {
    await discard(response)
    return offers
  }
  const body = await readJson(response)
  const inBody = offersOf(body)
  if (inBody) return inBody
  const ofHeader =
    header === null
      ? 'there is no PAYMENT-REQUIRED header'
      : `the PAYMENT-REQUIRED header, of ${header.length} characters, ${inHeader ? 'has no offers' : `is not base64 of a JSON object of at most ${mostCharacters} characters`}`
  const ofBody = body === undefined ? 'the body is not JSON of at most 64 KiB' : 'the body has no offers'
  throw new PaymentError('malformed_offer', `Payment: the 402 makes no offer: ${ofHeader}, and ${ofBody}`)
}

function offersOf(document: unknown): Offers | undefined {
  const { accepts, x402Version: version, resource, extensions } = Object(document) as Readonly<Record<string, unknown>>
  const entries = Array.isArray(accepts) ? accepts.filter(isRecord) : []
  if ((version !== 1 && version !== 2) || entries.length === 0) return undefined
  // JSON omits undefined fields
  return { version, accepts: entries, echo: { resource, extensions } }
}

export type OfferRules = {
  /** CAIP-2 names. */
  readonly networks: readonly string[]
  /** The payees that may be paid. Default: any. */
  readonly payTo?: readonly string[] | undefined
}

/**
 * The first offer that the rules allow: the scheme exact, an allowed network, the USDC contract of
 * that network, and an allowed payee. Throws a PaymentError if there is none.
 */
export function chooseOffer({ version, accepts }: Offers, rail: PaymentRail, rules: OfferRules): Offer {
  const checked = accepts.map((entry) => check(entry, version, rail, rules))
  const offer = checked.find((one) => 'entry' in one)
  if (offer) return offer
  const objections = checked.filter((one) => 'why' in one)
  const code = objections.find((one) => one.code !== 'domain_mismatch')?.code ?? 'domain_mismatch'
  const why = [...new Set(objections.map((one) => one.why))].join('; ')
  throw new PaymentError(
    code,
    `Payment: none of the ${accepts.length} offers may be paid (${why}); allowed networks: ${rules.networks.join(', ')}`,
  )
}

/** How long our signatures stay valid at most, in seconds. */
export const mostSeconds = 3600

function check(entry: Offer['entry'], version: 1 | 2, rail: PaymentRail, { networks, payTo: payees }: OfferRules): Offer | Objection {
  const { scheme, network: name, payTo, maxTimeoutSeconds } = entry
  const amount = entry[version === 2 ? 'amount' : 'maxAmountRequired']
  const network = typeof name === 'string' ? rail.networkOf(name) : undefined
  if (scheme !== 'exact') return objectionTo('the scheme is not "exact"')
  if (network === undefined || !networks.includes(network)) return objectionTo('the network is not allowed')
  const objection = rail.objection(entry)
  if (objection) return objection
  if (typeof payTo !== 'string' || (payees && !payees.some((payee) => rail.isSame(payTo, payee))))
    return objectionTo('the payee is not allowed')
  if (typeof amount !== 'string' || !/^[1-9]\d{0,18}$/.test(amount)) return objectionTo('the amount is not a number of atomic units')
  const timeout = typeof maxTimeoutSeconds === 'number' && maxTimeoutSeconds >= 1 ? maxTimeoutSeconds : 300
  return { entry, network, payTo, amount: BigInt(amount), timeoutSeconds: Math.floor(Math.min(timeout, mostSeconds)) }
}
