import { hash, timingSafeEqual } from 'node:crypto'
import { type VerifiedPayment, SiwxError, verifySiwxHeader } from '@farebox/auth/verify'
import type { ApiKeyType } from '@farebox/types'
import type { Operation } from '@farebox/types/operations'
import type { Database } from '../../platform/database/database.js'
import { shareStatements } from '../../platform/database/share-statements.js'
import type { SpendableCredit } from '../ledger/ledger-types.js'
import type { ApiKeys } from './api-keys.js'

/** A wallet that signed in, or that paid for its request. `account` is its address. */
export type WalletCaller = {
  readonly kind: 'wallet'
  readonly account: string
  readonly chain: VerifiedPayment['kind']
}

export type KeyCaller = {
  readonly kind: 'key'
  /** The account that pays. */
  readonly account: string
  readonly type: ApiKeyType
  /** Whether the account has the rate limits of partners. */
  readonly partner: boolean
  /** Missing for the key that the service was started with. */
  readonly keyId?: string
  /** Milliseconds since 1970. */
  readonly expiresAt?: number
  /** What the account could spend when the key was found. Missing as `keyId` is. */
  readonly spendable?: SpendableCredit
}

export type Caller = WalletCaller | KeyCaller | { readonly kind: 'anonymous' }

export type AccessOptions = {
  /** The public origin, which sign-in messages must name. It is never taken from Host. */
  readonly origin: string
  readonly isAdminKey: (secret: string) => boolean
  readonly keys: Pick<ApiKeys, 'find'>
  /** Called with the id of each key that is accepted. */
  readonly onKeyUse: (id: string) => void
  readonly nonces: NonceStore
  /** Accepts a sign-in message more than once until it expires. */
  readonly allowNonceReuse: boolean
  /** Whether wallets sign in. */
  readonly wallets: boolean
  readonly now: () => number
}

/** The account of the key that the service was started with. */
export const adminAccount = 'key:admin'

export const noWallets =
  'This service does not accept wallets. Send an API key as "Authorization: Bearer <API_KEY>".'

const maxAgeMs = 600_000
const clockSkewMs = 30_000

/**
 * Finds the caller. SIGN-IN-WITH-X has priority over a bearer token where the operation accepts it.
 * Throws a CredentialsError for invalid credentials, which are never treated as none. Only a valid
 * signature uses up its nonce.
 */
export async function authenticate(
  request: Request,
  operation: Operation,
  options: AccessOptions,
): Promise<Caller> {
  const header = readSignIn(request, operation)
  if (header !== undefined) return authenticateWallet(header, options)
  const bearer = request.headers.get('authorization')
  if (bearer !== null && operation.security.flat().includes('BearerAuth'))
    return authenticateKey(bearer, operation, options)
  return { kind: 'anonymous' }
}

/** The sign-in header of a request, where the operation accepts one. */
export function readSignIn(request: Request, operation: Operation): string | undefined {
  const header = request.headers.get('sign-in-with-x') ?? request.headers.get('x-sign-in-with-x')
  return header !== null && operation.security.flat().includes('siwx') ? header : undefined
}

/** The wallet that a sign-in names. It is not verified. */
export function readAddress(signIn: string): string | undefined {
  try {
    const { address } = JSON.parse(Buffer.from(signIn, 'base64').toString()) as {
      readonly address?: unknown
    }
    return typeof address === 'string' ? address : undefined
  } catch {
    return undefined
  }
}

async function authenticateWallet(
  header: string,
  { origin, nonces, allowNonceReuse, wallets, now }: AccessOptions,
): Promise<Caller> {
  if (!wallets) throw new CredentialsError('no_wallets', noWallets)
  try {
    const options = { domain: new URL(origin).host, uri: origin, now, maxAgeMs, clockSkewMs }
    const { address, chain, nonce, issuedAt } = await verifySiwxHeader(header, options)
    if (
      allowNonceReuse ||
      (await nonces.claim(address, nonce, issuedAt + maxAgeMs + 2 * clockSkewMs))
    ) {
      return { kind: 'wallet', account: address, chain }
    }
  } catch (error) {
    if (!(error instanceof SiwxError)) throw error
    throw new CredentialsError(
      error.code,
      `The wallet authentication is not valid. ${error.message}.`,
    )
  }
  throw new CredentialsError(
    'nonce_reused',
    'The wallet authentication is not valid. Its nonce was used before; sign a new message for each request.',
  )
}

async function authenticateKey(
  authorization: string,
  operation: Operation,
  { isAdminKey, keys, onKeyUse }: AccessOptions,
): Promise<Caller> {
  const [, secret] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization) ?? []
  if (secret !== undefined && isAdminKey(secret))
    return { kind: 'key', account: adminAccount, type: 'ADMIN', partner: false }
  const key = secret === undefined ? undefined : await keys.find(secret)
  if (key === 'expired') throw new CredentialsError('expired_key', 'The API key has expired.')
  if (key === 'revoked') throw new CredentialsError('revoked_key', 'The API key was revoked.')
  if (key === undefined) {
    throw new CredentialsError(
      'unknown_key',
      'The credentials are not valid. Expected "Authorization: Bearer <API_KEY>" with a key of this service.',
    )
  }
  const { account, type, id, expiresAt, partner, spendable } = key
  if (operation.requires !== undefined && operation.requires !== type) {
    throw new CredentialsError(
      'needs_admin_key',
      `This needs an ${operation.requires} key; the given key is only for inference.`,
    )
  }
  onKeyUse(id)
  return {
    kind: 'key',
    account,
    type,
    partner,
    keyId: id,
    spendable,
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

/** Compares in constant time. Without a key, no secret matches. */
export function createKeyMatcher(
  ...keys: readonly (string | undefined)[]
): (secret: string) => boolean {
  const expected = keys.flatMap((key) => (key === undefined ? [] : [hash('sha256', key, 'buffer')]))
  return (secret) => {
    const digest = hash('sha256', secret, 'buffer')
    for (const one of expected) if (timingSafeEqual(digest, one)) return true
    return false
  }
}

/** Credentials that are not accepted. The message is for the caller and does not quote a secret. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError'
  readonly reason:
    | SiwxError['code']
    | 'nonce_reused'
    | 'no_wallets'
    | 'unknown_key'
    | 'expired_key'
    | 'revoked_key'
    | 'needs_admin_key'

  constructor(reason: CredentialsError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

type NonceStore = {
  /** True for the first use of a nonce by a wallet. Of two parallel uses, one wins. */
  readonly claim: (address: string, nonce: string, expiresAt: number) => Promise<boolean>
}

type Claim = { readonly address: string; readonly nonce: string; readonly expires: string }

/** Simultaneous claims share a statement. `purge` deletes expired ones. */
export function createNonceStore(database: Database): NonceStore {
  const claimMany = async (claims: readonly Claim[]): Promise<readonly boolean[]> => {
    // in one order, so that the statements of two processes cannot wait for each other
    const rows = await database.query<{ address: string; nonce: string }>(
      `insert into siwx_nonce (address, nonce, expires_at)
       select address, nonce, expires from json_to_recordset($1::text::json) as c (address text, nonce text, expires timestamptz)
       order by address, nonce on conflict do nothing returning address, nonce`,
      [JSON.stringify(claims)],
    )
    const claimed = new Set(rows.map(toClaimId))
    // the first of two equal claims takes the row
    return claims.map((claim) => claimed.delete(toClaimId(claim)))
  }
  const share = shareStatements({ many: claimMany })
  return {
    claim: (address, nonce, expiresAt) => {
      const claim = { address, nonce, expires: new Date(expiresAt).toISOString() }
      return share(claim, toClaimId(claim))
    },
  }
}

function toClaimId({ address, nonce }: Pick<Claim, 'address' | 'nonce'>): string {
  return `${address} ${nonce}`
}
