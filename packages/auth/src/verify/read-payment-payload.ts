import { isRecord } from '@farebox/middleware'
import type { TransferAuthorization } from '../transfer-typed-data.js'
import { decodeJsonHeader } from '../decode-json-header.js'
import { PaymentVerificationError } from './payment-verification-error.js'

type Fields = Readonly<Record<string, unknown>>

/** A payment as the client sent it, in any of the envelopes. */
export type PaymentPayload = EvmPayload | SolanaPayload

export type EvmPayload = Envelope & { readonly kind: 'evm'; readonly signature: string; readonly authorization: TransferAuthorization }
/** `transaction` is base64 of a transaction signed by the payer. */
export type SolanaPayload = Envelope & { readonly kind: 'solana'; readonly transaction: string }

type Envelope = {
  /** The version by the shape: version 2 has `accepted`, version 1 a scheme and a network. */
  readonly shape: 'v2' | 'v1'
  readonly scheme: string
  /** As the client wrote it: CAIP-2, or a version 1 name. */
  readonly network: string
  /** Version 2: the offer that the client accepted. */
  readonly accepted?: Fields
}

/**
 * The object in a payment header: strict base64 of JSON, at most 8 kB. Throws a
 * PaymentVerificationError of code `invalid_payload`.
 */
export function decodePaymentHeader(value: string): Fields {
  const object = decodeJsonHeader(value)
  if (!object) throw invalid('the header is not base64 of a JSON object of at most 8 kB')
  return object
}

/**
 * Reads the three envelopes that clients send: version 2, version 1, and the one of the legacy
 * client, which states version 2 but has the flat shape of version 1. The shape decides, not the
 * name of the header.
 */
export function readPaymentPayload(value: unknown): PaymentPayload {
  if (!isRecord(value)) throw invalid('it is not an object')
  const version = ownField(value, 'x402Version')
  if (version !== 1 && version !== 2) {
    throw new PaymentVerificationError('invalid_x402_version', 'Payment payload: "x402Version" is neither 1 nor 2')
  }
  const accepted = ownField(value, 'accepted')
  if (accepted !== undefined && (!isRecord(accepted) || version !== 2)) throw invalid('"accepted" is for version 2, and an object')
  const envelope = isRecord(accepted) ? accepted : value
  const payload = ownField(value, 'payload')
  if (!isRecord(payload)) throw invalid('"payload" is not an object')
  const network = text(envelope, 'network')
  const common = {
    shape: isRecord(accepted) ? ('v2' as const) : ('v1' as const),
    scheme: text(envelope, 'scheme'),
    network,
    ...(isRecord(accepted) && { accepted }),
  }
  if (/^solana(?:$|[:-])/.test(network)) return { kind: 'solana', ...common, transaction: text(payload, 'transaction') }
  const authorization = readAuthorization(ownField(payload, 'authorization'))
  return { kind: 'evm', ...common, signature: text(payload, 'signature'), authorization }
}

function readAuthorization(value: unknown): TransferAuthorization {
  if (!isRecord(value)) throw invalid('"authorization" is not an object')
  return {
    from: matching(value, 'from', address),
    to: matching(value, 'to', address),
    value: uint256(value, 'value'),
    validAfter: uint256(value, 'validAfter'),
    validBefore: uint256(value, 'validBefore'),
    nonce: matching(value, 'nonce', /^0x[0-9a-fA-F]{64}$/),
  }
}

const address = /^0x[0-9a-fA-F]{40}$/

function uint256(object: Fields, name: string): string {
  const digits = matching(object, name, /^(?:0|[1-9]\d{0,77})$/)
  if (BigInt(digits) >= 2n ** 256n) throw invalid(`"${name}" is more than a uint256 can hold`)
  return digits
}

function matching(object: Fields, name: string, pattern: RegExp): string {
  const found = text(object, name)
  if (!pattern.test(found)) throw invalid(`"${name}" does not have its form`)
  return found
}

function text(object: Fields, name: string): string {
  const found = ownField(object, name)
  if (typeof found !== 'string') throw invalid(`"${name}" is not a string`)
  return found
}

function ownField(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function invalid(what: string): PaymentVerificationError {
  return new PaymentVerificationError('invalid_payload', `Payment payload: ${what}`)
}
