import { discard, isRecord } from '@farebox/middleware'
import { decodeJsonHeader, mostCharacters } from './decode-json-header.js'
import { PaymentError } from './payment-error.js'
import { readJson } from './read-json.js'

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
