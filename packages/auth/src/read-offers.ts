import { decodeJsonHeader, isRecord } from './decode-json-header.js'
import { discard } from './credentials.js'
import { PaymentError } from './payment-error.js'
import { readJson } from './read-start.js'

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
  const accepts = isRecord(document) && Array.isArray(document['accepts']) ? document['accepts'].filter(isRecord) : []
  const version = isRecord(document) ? document['x402Version'] : undefined
  if (!isRecord(document) || (version !== 1 && version !== 2) || accepts.length === 0) {
    throw new PaymentError('malformed_offer', 'Payment: the 402 has neither a PAYMENT-REQUIRED header nor a body with offers to pay')
  }
  const { resource, extensions } = document
  return { version, accepts, echo: { ...(resource !== undefined && { resource }), ...(extensions !== undefined && { extensions }) } }
}
