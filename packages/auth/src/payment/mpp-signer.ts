import { discard, isRecord } from '@farebox/middleware'
import { maxHeaderLength } from '../encoding.js'
import { PaymentError } from '../errors.js'
import {
  decodeBase64url,
  formatPaymentCredential,
  parsePaymentChallenges,
  paymentChallengeNonce,
  type PaymentChallenge,
} from '../payment-scheme.js'
import { createEvmRail } from './evm-rail.js'
import {
  createObjection,
  type EvmPaymentSigner,
  type Offer,
  type Offers,
  type RailSigner,
} from './payment-rail.js'

/**
 * A signer that pays by the HTTP authentication scheme "Payment" (MPP): the method `evm`, the intent
 * `charge`, in USDC by an EIP-3009 authorization. The rules and caps of `pay` apply to it.
 *
 * A challenge determines the nonce, so it is paid once, and states the amount, so `amountUsd` must
 * not ask for more. Nothing else is signed for a purchase until its payment has expired.
 *
 * @example
 * ```ts
 * const payment = pay(mppSigner(signer), { ...caps, origin, appliesTo: () => true })
 * ```
 */
export function mppSigner(signer: EvmPaymentSigner): RailSigner {
  const { signsNonceAgain: _, ...exact } = createEvmRail(signer)
  return Object.freeze<RailSigner>({
    kind: 'evm',
    address: exact.payer,
    rail: {
      ...exact,
      readOffers: readChallenges,
      objection: (entry) =>
        typeof entry['fault'] === 'string'
          ? createObjection(entry['fault'])
          : exact.objection(entry),
      async sign(offer, terms) {
        if (terms.amount !== offer.amount)
          throw new PaymentError(
            'no_acceptable_offer',
            `Payment: a challenge states its amount, here ${offer.amount} units of USDC; leave amountUsd out`,
          )
        const challenge = offer.entry['challenge'] as PaymentChallenge
        const nonce = paymentChallengeNonce(challenge)
        const signed = await exact.sign(offer, { ...terms, nonce })
        const { authorization, signature } = signed.payload as Readonly<
          Record<'authorization' | 'signature', object>
        >
        const value = formatPaymentCredential({
          challenge,
          payload: { type: 'authorization', signature, ...authorization },
          source: `did:pkh:${offer.network}:${exact.payer}`,
        })
        return { ...signed, header: { name: challenge.header ?? 'Authorization', value } }
      },
    },
  })
}

/** Reads the challenges of a 402 as offers. Consumes the response. */
async function readChallenges(response: Response, serviceNow: number): Promise<Offers> {
  const header = response.headers.get('www-authenticate')
  await discard(response)
  const challenges =
    header === null || header.length > 2 * maxHeaderLength ? [] : parsePaymentChallenges(header)
  if (challenges.length > 0) {
    const accepts = challenges.map((challenge) => toEntry(challenge, serviceNow))
    return { version: 2, accepts, resource: undefined, extensions: undefined }
  }
  const headerSummary =
    header === null ? 'no WWW-Authenticate header' : `one of ${header.length} characters`
  throw new PaymentError(
    'malformed_offer',
    `Payment: the 402 has no challenge of the scheme Payment: found ${headerSummary}, expected at most ${2 * maxHeaderLength} with id, realm, method, intent and request`,
  )
}

/** A challenge with the fields of an offer. `fault` says why it cannot be paid. */
function toEntry(challenge: PaymentChallenge, serviceNow: number): Offer['entry'] {
  const request = decodeBase64url(challenge.request) ?? {}
  const details = isRecord(request['methodDetails']) ? request['methodDetails'] : {}
  const { method, intent, expires, header } = challenge
  const lifetime =
    expires === undefined ? undefined : Math.floor((Date.parse(expires) - serviceNow) / 1000)
  const fault = findFault(details, lifetime, header)
  return {
    scheme: method === 'evm' && intent === 'charge' ? 'exact' : `${method}.${intent}`,
    network: `eip155:${String(details['chainId'])}`,
    asset: request['currency'],
    payTo: request['recipient'],
    amount: request['amount'],
    maxTimeoutSeconds: lifetime,
    challenge,
    ...(fault !== undefined && { fault }),
  }
}

function findFault(
  { credentialTypes = ['authorization'], splits = [] }: Readonly<Record<string, unknown>>,
  lifetime = Infinity,
  header = 'Authorization',
): string | undefined {
  if (!Array.isArray(credentialTypes) || !credentialTypes.includes('authorization'))
    return 'it takes no EIP-3009 authorization'
  if (!Array.isArray(splits) || splits.length > 0) return 'it splits the payment'
  // NaN if the date is not readable
  if (!(lifetime >= 1)) return 'it has expired'
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header)) return 'its header has no name that HTTP allows'
  return undefined
}
