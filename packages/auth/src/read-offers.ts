import { discard, isRecord } from '@farebox/middleware'
import { decodeJsonHeader } from './decode-json-header.js'
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
 * Reads the offers of a 402: the PAYMENT-REQUIRED header of version 2, else the body of either
 * version. Consumes the response.
 */
export async function readOffers(response: Response): Promise<Offers> {
  const header = response.headers.get('payment-required')
  const document: unknown = header === null ? await readJson(response) : decodeJsonHeader(header)
  if (header !== null) await discard(response)
  const { accepts, x402Version: version, resource, extensions } = Object(document) as Readonly<Record<string, unknown>>
  const entries = Array.isArray(accepts) ? accepts.filter(isRecord) : []
  if ((version !== 1 && version !== 2) || entries.length === 0) {
    throw new PaymentError('malformed_offer', 'Payment: the 402 has no offers, neither in a PAYMENT-REQUIRED header nor in its body')
  }
  // JSON omits undefined fields
  return { version, accepts: entries, echo: { resource, extensions } }
}
