import { isRecord } from '@farebox/middleware'
import { decodeJsonHeader } from '../encoding.js'
import { invalidPayload, ownField, textField } from './rail.js'
import { PaymentVerificationError } from './payment-verification-error.js'
import type { Fields } from './rail.js'

/** The fields around the payload, from any of the envelopes. */
export type Envelope = {
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
 */
export function decodePaymentHeader(value: string): Fields {
  const object = decodeJsonHeader(value)
  if (!object) throw invalidPayload('the header is not base64 of a JSON object of at most 8 kB')
  return object
}

/**
 * Reads the three envelopes that clients send: version 2, version 1, and that of the legacy client,
 * which states version 2 but has the flat shape of version 1. The shape decides, not the name of
 * the header.
 */
export function readEnvelope(value: unknown): Envelope {
  if (!isRecord(value)) throw invalidPayload('it is not an object')
  const version = ownField(value, 'x402Version')
  if (version !== 1 && version !== 2) {
    throw new PaymentVerificationError(
      'invalid_x402_version',
      'Payment payload: "x402Version" is neither 1 nor 2',
    )
  }
  const accepted = ownField(value, 'accepted')
  if (accepted !== undefined && (!isRecord(accepted) || version !== 2))
    throw invalidPayload('"accepted" must be an object, and is only for version 2')
  const payload = ownField(value, 'payload')
  if (!isRecord(payload)) throw invalidPayload('"payload" is not an object')
  const [shape, fields] = isRecord(accepted)
    ? (['v2', accepted] as const)
    : (['v1', value] as const)
  const network = textField(fields, 'network')
  return {
    shape,
    scheme: textField(fields, 'scheme'),
    network,
    payload,
    ...(isRecord(accepted) && { accepted }),
  }
}
