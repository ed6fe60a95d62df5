import { hash, timingSafeEqual } from 'node:crypto'
import { SiwxError, verifySiwxHeader } from '@farebox/auth/verify'
import type { ApiKeyType } from '@farebox/types'
import type { Operation } from '@farebox/types/operations'
import { refusal } from '../http/http-error.js'
import type { ApiKeys } from './api-keys.js'
import type { NonceStore } from './nonces.js'

/** Who calls. `account` is the name of the account that pays. */
export type Caller =
  | { readonly kind: 'wallet'; readonly account: string; readonly chain: 'evm' | 'solana' }
  /** `keyId` is missing for the key that the service was started with. */
  | {
      readonly kind: 'key'
      readonly account: string
      readonly type: ApiKeyType
      /** The limits of partners hold for the account. */
      readonly partner: boolean
      readonly keyId?: string
      /** Milliseconds since 1970. */
      readonly expiresAt?: number
    }
  | { readonly kind: 'anonymous' }

export type AccessOptions = {
  /** The public origin: what sign-in messages must name. Never taken from Host. */
  readonly origin: string
  /** Whether a secret is the key that the service was started with. */
  readonly isAdminKey: (secret: string) => boolean
  readonly keys: ApiKeys
  readonly nonces: NonceStore
  /** Lets a message be used again until it expires. */
  readonly allowNonceReuse: boolean
  readonly now: () => number
}

/** The account of the key that the service was started with. */
export const adminAccount = 'key:admin'

const maxAgeMs = 600_000
const clockSkewMs = 30_000

/**
 * Who calls. SIGN-IN-WITH-X wins over a bearer token where the operation takes it, and a credential that is given must be
 * good: a bad one is 401, never the same as none. A nonce is used up as soon as the signature over it is good, and by nothing else.
 */
export async function authenticate(request: Request, operation: Operation, options: AccessOptions): Promise<Caller> {
  const header = signInOf(request, operation)
  if (header !== undefined) return walletOf(header, options)
  const bearer = request.headers.get('authorization')
  if (bearer !== null && admits(operation, 'BearerAuth')) return keyOf(bearer, operation, options)
  return { kind: 'anonymous' }
}

/** The sign-in that a request comes with, where the operation takes one. */
export function signInOf(request: Request, operation: Operation): string | undefined {
  const header = request.headers.get('sign-in-with-x') ?? request.headers.get('x-sign-in-with-x')
  return header !== null && admits(operation, 'siwx') ? header : undefined
}

function admits({ security }: Operation, scheme: string): boolean {
  return security.some((schemes) => schemes.includes(scheme))
}

/** The wallet that a sign-in names, of which nothing is verified. */
export function addressIn(signIn: string): string | undefined {
  try {
    const { address } = JSON.parse(Buffer.from(signIn, 'base64').toString()) as { readonly address?: unknown }
    return typeof address === 'string' ? address : undefined
  } catch {
    return undefined
  }
}

async function walletOf(header: string, { origin, nonces, allowNonceReuse, now }: AccessOptions): Promise<Caller> {
  try {
    const options = { domain: new URL(origin).host, uri: origin, now, maxAgeMs, clockSkewMs }
    const { address, chain, nonce, issuedAt } = await verifySiwxHeader(header, options)
    if (allowNonceReuse || (await nonces.claim(address, nonce, issuedAt + maxAgeMs + 2 * clockSkewMs))) {
      return { kind: 'wallet', account: address, chain }
    }
  } catch (error) {
    if (!(error instanceof SiwxError)) throw error
    throw refusal(401, `The wallet authentication is not valid. ${error.message}.`, codes[error.code])
  }
  throw refusal(
    401,
    'The wallet authentication is not valid. Its nonce was used before; sign a new message for each request.',
    'X402_SIGN_IN_NONCE_REUSED',
  )
}

const codes: Readonly<Record<SiwxError['code'], string>> = {
  invalid_payload: 'X402_SIGN_IN_INVALID_PAYLOAD',
  invalid_message: 'X402_SIGN_IN_INVALID_MESSAGE',
  address_mismatch: 'X402_SIGN_IN_ADDRESS_MISMATCH',
  chain_mismatch: 'X402_SIGN_IN_CHAIN_MISMATCH',
  unsupported_chain: 'X402_SIGN_IN_UNSUPPORTED_CHAIN',
  domain_mismatch: 'X402_SIGN_IN_DOMAIN_MISMATCH',
  uri_mismatch: 'X402_SIGN_IN_URI_MISMATCH',
  timestamp_mismatch: 'X402_SIGN_IN_TIMESTAMP_MISMATCH',
  expired: 'X402_SIGN_IN_EXPIRED',
  not_yet_valid: 'X402_SIGN_IN_FUTURE_TIMESTAMP',
  invalid_signature: 'X402_SIGN_IN_INVALID_SIGNATURE',
  verifier_failed: 'X402_SIGN_IN_VERIFIER_FAILED',
}

async function keyOf(authorization: string, operation: Operation, { isAdminKey, keys }: AccessOptions): Promise<Caller> {
  const [, secret] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization) ?? []
  if (secret !== undefined && isAdminKey(secret)) return { kind: 'key', account: adminAccount, type: 'ADMIN', partner: false }
  const key = secret === undefined ? undefined : await keys.find(secret)
  if (key === 'expired') throw refusal(401, 'The API key has expired.', 'AUTHENTICATION_FAILED_INACTIVE_KEY')
  if (key === undefined) {
    throw refusal(
      401,
      'The credentials are not valid. Expected "Authorization: Bearer <API_KEY>" with a key of this service.',
      'AUTHENTICATION_FAILED',
    )
  }
  const { account, type, id, expiresAt, partner } = key
  if (operation.requires !== undefined && operation.requires !== type) {
    throw refusal(401, `This needs an ${operation.requires} key; the key given is for inference alone.`, 'UNAUTHORIZED')
  }
  return { kind: 'key', account, type, partner, keyId: id, ...(expiresAt !== undefined && { expiresAt }) }
}

/** Compares in a time that does not tell how much of a key was right. Without a key nothing is it. */
export function keyMatcher(key: string | undefined): (secret: string) => boolean {
  if (key === undefined) return () => false
  const expected = hash('sha256', key, 'buffer')
  return (secret) => timingSafeEqual(hash('sha256', secret, 'buffer'), expected)
}
