import { isRecord } from '@farebox/middleware'
import { decodeJsonHeader, encodeHex, encodeJsonHeader, maxHeaderLength } from './encoding.js'
import { keccak256 } from './evm/address.js'

/**
 * A challenge of the HTTP authentication scheme "Payment" (MPP), with its parameters as they are
 * sent.
 */
export type PaymentChallenge = {
  readonly id: string
  readonly realm: string
  /** How to pay, such as `evm`. */
  readonly method: string
  /** `charge` for one payment. */
  readonly intent: string
  /** Base64url of the JSON that the method describes. */
  readonly request: string
  /** RFC 3339. */
  readonly expires?: string | undefined
  /** The header that takes the credential. Default: Authorization. */
  readonly header?: string | undefined
  readonly digest?: string | undefined
  readonly opaque?: string | undefined
}

/** The response to a challenge: the challenge and the payment. */
export type PaymentCredential = {
  readonly challenge: PaymentChallenge
  readonly payload: Readonly<Record<string, unknown>>
  /** The payer as a DID, such as `did:pkh:eip155:8453:0x…`. */
  readonly source?: string | undefined
}

const required = ['id', 'realm', 'method', 'intent', 'request'] as const
const optional = ['expires', 'header', 'digest', 'opaque'] as const

/** One item of WWW-Authenticate: a parameter, or the name of a scheme. */
const item = /[\s,]*([\w!#$%&'*+.^`|~-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s",]*)))?/y

/**
 * The challenges of the scheme Payment in a WWW-Authenticate header, which may have several, and
 * challenges of other schemes. A challenge that lacks a parameter is left out.
 */
export function parsePaymentChallenges(header: string): readonly PaymentChallenge[] {
  const schemes: { readonly name: string; readonly parameters: Map<string, string> }[] = []
  item.lastIndex = 0
  for (let match = item.exec(header); match; match = item.exec(header)) {
    const [, name = '', quotedText, token] = match
    const value = quotedText?.replaceAll(/\\(.)/g, '$1') ?? token
    if (value === undefined) schemes.push({ name: name.toLowerCase(), parameters: new Map() })
    else schemes.at(-1)?.parameters.set(name.toLowerCase(), value)
  }
  return schemes
    .filter(({ name }) => name === 'payment')
    .flatMap(({ parameters }) => readChallenge(Object.fromEntries(parameters)) ?? [])
}

function readChallenge(fields: Readonly<Record<string, unknown>>): PaymentChallenge | undefined {
  const entries = [...required, ...optional]
    .map((name) => [name, fields[name]] as const)
    .filter(([, value]) => value !== undefined)
  const isComplete = required.every((name) => fields[name] !== undefined)
  const areStrings = entries.every(([, value]) => typeof value === 'string')
  return isComplete && areStrings
    ? (Object.fromEntries(entries) as unknown as PaymentChallenge)
    : undefined
}

/**
 * A challenge as it stands in WWW-Authenticate.
 *
 * @example
 * ```ts
 * headers.append('www-authenticate', formatPaymentChallenge(challenge))
 * ```
 */
export function formatPaymentChallenge(challenge: PaymentChallenge): string {
  const parameters = [...required, ...optional].flatMap((name) => {
    const value = challenge[name]
    return value === undefined ? [] : [`${name}="${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`]
  })
  return `Payment ${parameters.join(', ')}`
}

/** The value of a credential's header: the scheme and base64url of JSON. */
export function formatPaymentCredential(credential: PaymentCredential): string {
  return `Payment ${encodeBase64url(credential)}`
}

/**
 * The credential in a header value of the scheme Payment. Undefined for anything else.
 *
 * @example
 * ```ts
 * const credential = parsePaymentCredential(request.headers.get('payment-authorization') ?? '')
 * ```
 */
export function parsePaymentCredential(value: string): PaymentCredential | undefined {
  if (value.length > maxHeaderLength) return undefined
  const [, encoded = ''] = /^Payment +([\w-]+)$/i.exec(value) ?? []
  const { challenge, payload, source } = decodeBase64url(encoded) ?? {}
  const read = isRecord(challenge) ? readChallenge(challenge) : undefined
  return read && isRecord(payload)
    ? { challenge: read, payload, ...(typeof source === 'string' && { source }) }
    : undefined
}

/**
 * The nonce of an EIP-3009 authorization that pays a challenge (method evm, type authorization), so
 * that a chain settles one payment of a challenge at most.
 *
 * @example
 * ```ts
 * const isBound = credential.payload.nonce === paymentChallengeNonce(credential.challenge)
 * ```
 */
export function paymentChallengeNonce({
  id,
  realm,
}: Pick<PaymentChallenge, 'id' | 'realm'>): string {
  return `0x${encodeHex(keccak256(new TextEncoder().encode(`${id}${realm}`)))}`
}

/**
 * Base64url, without padding, of a value's JSON.
 *
 * @example
 * ```ts
 * headers.set('payment-receipt', encodeBase64url({ method: 'evm', reference, status: 'success', timestamp }))
 * ```
 */
export function encodeBase64url(value: unknown): string {
  return encodeJsonHeader(value).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/**
 * The object in base64url of JSON, without padding. Undefined for anything else.
 *
 * @example
 * ```ts
 * const { amount, currency, recipient } = decodeBase64url(challenge.request) ?? {}
 * ```
 */
export function decodeBase64url(value: string): Readonly<Record<string, unknown>> | undefined {
  const padded = value.padEnd(Math.ceil(value.length / 4) * 4, '=')
  return decodeJsonHeader(padded.replaceAll('-', '+').replaceAll('_', '/'))
}
