import { discard, isRecord } from '@farebox/middleware'
import { decodeJsonHeader, maxHeaderLength, readJson } from '../encoding.js'
import { PaymentError } from '../errors.js'
import {
  createObjection,
  quote,
  type Objection,
  type Offer,
  type Offers,
  type PaymentRail,
} from './payment-rail.js'

/**
 * Reads the offers of a 402: the PAYMENT-REQUIRED header of version 2, or if that is missing, too
 * large or unreadable, the body of either version. Consumes the response.
 */
export async function readOffers(response: Response): Promise<Offers> {
  const header = response.headers.get('payment-required')
  const headerDocument = decodeJsonHeader(header)
  const offers = parseOffers(headerDocument)
  if (offers) {
    await discard(response)
    return offers
  }
  const body = await readJson(response)
  const bodyOffers = parseOffers(body)
  if (bodyOffers) return bodyOffers
  const headerFault =
    header === null
      ? 'it has no PAYMENT-REQUIRED header'
      : `the PAYMENT-REQUIRED header, of ${header.length} characters, ${headerDocument ? 'has no offers' : `is not base64 of a JSON object of at most ${maxHeaderLength} characters`}`
  const bodyFault =
    body === undefined ? 'the body is not JSON of at most 64 KiB' : 'the body has no offers'
  throw new PaymentError(
    'malformed_offer',
    `Payment: the 402 has no offer: ${headerFault}, and ${bodyFault}`,
  )
}

function parseOffers(document: unknown): Offers | undefined {
  const {
    accepts,
    x402Version: version,
    resource,
    extensions,
  } = Object(document) as Readonly<Record<string, unknown>>
  const entries = Array.isArray(accepts) ? accepts.filter(isRecord) : []
  if ((version !== 1 && version !== 2) || entries.length === 0) return undefined
  return { version, accepts: entries, resource, extensions }
}

type OfferRules = {
  /** CAIP-2 names. */
  readonly networks: readonly string[]
  /** The payees that may be paid. Default: any. */
  readonly payTo?: readonly string[] | undefined
}

/**
 * The first offer that the rules allow: the scheme exact, an allowed network, the USDC contract of
 * that network, and an allowed payee. Throws a PaymentError if there is none.
 */
export function chooseOffer(
  { version, accepts, extensions }: Offers,
  rail: PaymentRail,
  rules: OfferRules,
): Offer {
  const extension = findUnknownExtension(extensions)
  const checked = accepts.map((entry) =>
    extension === undefined
      ? checkOffer(entry, version, rail, rules)
      : createObjection(`it requires the extension ${quote(extension)}`),
  )
  const offer = checked.find((result) => 'entry' in result)
  if (offer) return offer
  const objections = checked.filter((result) => 'why' in result)
  const code =
    objections.find((objection) => objection.code !== 'domain_mismatch')?.code ?? 'domain_mismatch'
  const lines = objections
    .slice(0, 10)
    .map(({ why }, at) => `${at + 1}. ${describeOffer(accepts[at])}: ${why}`)
  throw new PaymentError(
    code,
    `Payment: none of the ${accepts.length} offers may be paid (${lines.join('; ')}); allowed networks: ${rules.networks.join(', ')}`,
  )
}

const paymentIdentifier = 'payment-identifier'

/** The extensions of a payment: those of the service, with our id of this payment if it offers that. */
export function addPaymentId(extensions: unknown, id: string): unknown {
  const offered = isRecord(extensions) && extensions[paymentIdentifier]
  return isRecord(offered)
    ? {
        ...Object(extensions),
        [paymentIdentifier]: { ...offered, info: { ...Object(offered['info']), id } },
      }
    : extensions
}

function describeOffer({ scheme, network }: Offer['entry'] = {}): string {
  return `${quote(scheme)} on ${quote(network)}`
}

/** An extension that the service requires of every payment, and that we do not know. */
function findUnknownExtension(extensions: unknown): string | undefined {
  return Object.entries(isRecord(extensions) ? extensions : {}).find(([name, extension]) => {
    if (name === paymentIdentifier) return false
    const { info, required } = Object(extension) as Readonly<Record<string, unknown>>
    return required === true || (isRecord(info) && info['required'] === true)
  })?.[0]
}

/** The longest validity of our signatures, in seconds. */
export const maxValiditySeconds = 3600

function checkOffer(
  entry: Offer['entry'],
  version: 1 | 2,
  rail: PaymentRail,
  { networks, payTo: payees }: OfferRules,
): Offer | Objection {
  const { scheme, network: name, payTo, maxTimeoutSeconds } = entry
  const { scheme: expected = 'exact' } = rail
  const amountField = version === 2 ? 'amount' : 'maxAmountRequired'
  const amount = entry[amountField]
  const network = typeof name === 'string' ? rail.networkOf(name) : undefined
  if (scheme !== expected) return createObjection(`the scheme is not "${expected}"`)
  if (network === undefined || !networks.includes(network))
    return createObjection('the network is not allowed')
  const objection = rail.objection(entry)
  if (objection) return objection
  if (typeof payTo !== 'string' || (payees && !payees.some((payee) => rail.isSame(payTo, payee))))
    return createObjection('the payee is not allowed')
  if (typeof amount !== 'string' || !/^[1-9]\d{0,18}$/.test(amount))
    return createObjection(`${amountField} is not a string of atomic units`)
  const timeout =
    typeof maxTimeoutSeconds === 'number' && maxTimeoutSeconds >= 1 ? maxTimeoutSeconds : 300
  return {
    entry,
    network,
    payTo,
    amount: BigInt(amount),
    timeoutSeconds: Math.floor(Math.min(timeout, maxValiditySeconds)),
  }
}
