import {
  decodeBase64url,
  encodeBase64url,
  encodeJsonHeader,
  formatPaymentChallenge,
  parsePaymentCredential,
  paymentChallengeNonce,
  type PaymentChallenge,
} from '@farebox/auth/verify'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { failure } from '../contract/failures.js'
import { isRecord } from '../platform/unknown-value.js'
import { HttpError, type Reply } from './reply.js'

/** Lets callers pay by the HTTP authentication scheme "Payment" (MPP) wherever x402 pays. */
export type PaymentScheme = {
  /**
   * The request with its payment in the header PAYMENT-SIGNATURE, be it a credential of the scheme
   * or in a former header of x402. Throws an HttpError for a credential that does not pay a
   * challenge of this service.
   */
  readonly read: (request: Request) => Request
  /** What a response has beside its x402 headers: the challenges, or the receipt of a payment. */
  readonly headers: (
    request: Request,
    headers: Reply['headers'],
  ) => Readonly<Record<string, string>>
}

type PaymentSchemeOptions = {
  /** Signs the ids of challenges, so that no process has to keep them. */
  readonly secret: string
  readonly origin: string
  readonly now: () => number
}

/** Not Authorization, which has the API key of other requests. */
const credentialHeader = 'Payment-Authorization'
const scheme = /^Payment /i

/**
 * Each offer of the x402 scheme "exact" on an EVM network is a challenge, too: method evm, intent
 * charge. A credential has the same EIP-3009 authorization as an x402 payment, so it is read as one,
 * and verified, settled, credited and repeated like one. Its nonce is the hash of the challenge.
 */
export function createPaymentScheme({ secret, origin, now }: PaymentSchemeOptions): PaymentScheme {
  const realm = new URL(origin).host
  return {
    read(request) {
      const current = request.headers.get('payment-signature')
      const former = request.headers.get('x-402-payment') ?? request.headers.get('x-payment')
      const credential = findCredential(request.headers)
      const payment =
        credential === undefined ? (current ?? former) : encodeJsonHeader(toPayment(credential))
      if (payment === null || payment === current) return request
      const headers = new Headers(request.headers)
      headers.set('payment-signature', payment)
      headers.delete(credentialHeader)
      if (scheme.test(headers.get('authorization') ?? '')) headers.delete('authorization')
      return new Request(request, { headers })
    },
    headers(request, headers) {
      const required = headers['payment-required']
      if (required !== undefined) return createChallengeHeaders(readOwnHeader(required))
      const settlement = headers['payment-response']
      if (settlement === undefined || findCredential(request.headers) === undefined) return {}
      const { success, transaction } = readOwnHeader(settlement)
      if (success !== true) return {}
      const receipt = {
        method: 'evm',
        reference: transaction,
        status: 'success',
        timestamp: new Date(now()).toISOString(),
      }
      return { 'payment-receipt': encodeBase64url(receipt) }
    },
  }

  function createChallengeHeaders({
    accepts,
  }: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
    const offers = (Array.isArray(accepts) ? accepts : []).filter(isRecord)
    const challenges = offers.flatMap((offer) => createChallenge(offer) ?? [])
    return challenges.length === 0
      ? {}
      : { 'www-authenticate': challenges.map(formatPaymentChallenge).join(', ') }
  }

  /** The challenge of an offer. Undefined for an offer of another scheme, or on another chain. */
  function createChallenge(offer: Readonly<Record<string, unknown>>): PaymentChallenge | undefined {
    const [, chainId] = /^eip155:(\d+)$/.exec(String(offer['network'])) ?? []
    if (chainId === undefined || offer['scheme'] !== 'exact') return undefined
    // names in order, as the scheme requires
    const request = encodeBase64url({
      amount: offer['amount'],
      currency: offer['asset'],
      methodDetails: {
        chainId: Number(chainId),
        credentialTypes: ['authorization'],
        decimals: 6,
      },
      recipient: offer['payTo'],
    })
    const challenge = {
      realm,
      method: 'evm',
      intent: 'charge',
      request,
      expires: new Date(now() + Number(offer['maxTimeoutSeconds']) * 1000).toISOString(),
      header: credentialHeader,
    }
    return { id: sign(challenge), ...challenge }
  }

  function sign({ method, intent, request, expires }: Omit<PaymentChallenge, 'id'>): string {
    const fields = JSON.stringify(['payment challenge', realm, method, intent, request, expires])
    return createHmac('sha256', secret).update(fields).digest('base64url')
  }

  /** The x402 payment (version 1) of a credential, which has all that a verification needs. */
  function toPayment(value: string): Readonly<Record<string, unknown>> {
    const credential = parsePaymentCredential(value)
    if (!credential)
      throw rejectCredential('is not base64url of JSON with a challenge and a payload')
    const { challenge, payload } = credential
    if (challenge.realm !== realm || !isEqual(challenge.id, sign(challenge)))
      throw rejectCredential('is for a challenge that this service did not send')
    const { signature, type, ...authorization } = payload
    if (type !== 'authorization') throw rejectCredential('is not of the type "authorization"')
    if (authorization['nonce'] !== paymentChallengeNonce(challenge))
      throw rejectCredential('has a nonce that is not the hash of its challenge')
    const { amount, methodDetails } = decodeBase64url(challenge.request) ?? {}
    if (authorization['value'] !== amount)
      throw rejectCredential('pays another amount than its challenge')
    const { chainId } = isRecord(methodDetails) ? methodDetails : {}
    const network = `eip155:${String(chainId)}`
    return { x402Version: 1, scheme: 'exact', network, payload: { signature, authorization } }
  }
}

/** The object in an x402 header that this service wrote, of any length. */
function readOwnHeader(value: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(value, 'base64').toString()) as Readonly<Record<string, unknown>>
}

/** The credential of a request. Clients that do not know the header of a challenge use Authorization. */
function findCredential(headers: Headers): string | undefined {
  const authorization = headers.get('authorization') ?? ''
  return headers.get(credentialHeader) ?? (scheme.test(authorization) ? authorization : undefined)
}

function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function rejectCredential(fault: string): HttpError {
  const error = `The payment credential ${fault}. Request the resource without one, and pay a challenge of its 402. Nothing was paid.`
  return new HttpError(failure(400, error, 'INVALID_PAYMENT_FORMAT'))
}
