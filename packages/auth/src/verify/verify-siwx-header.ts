import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base58, base64 } from '@scure/base'
import { isAddress } from '../evm/address.js'
import { hashMessage, hasHighS, recoverAddress } from '../evm/signature.js'
import { verifyEd25519 } from '../native/ed25519.js'
import { parseRfc3339, parseSiweMessage, parseSolanaMessage } from './parse-siwe-message.js'
import { readSiwxPayload, type SiwxPayload } from './read-siwx-payload.js'
import { SiwxError } from './errors.js'

export type VerifySiwxOptions = {
  /**
   * The required domain: the host of the service, with its port if it has one. Read it from the
   * configuration, never from the Host header.
   */
  readonly domain: string
  /**
   * The required URI: the origin of the service, without a slash at the end.
   */
  readonly uri: string
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** How far ahead a client's clock may be, in milliseconds. Default 30,000. */
  readonly clockSkewMs?: number
  /** The longest lifetime of a message in ms, even if it states a later end. Default 600,000. */
  readonly maxAgeMs?: number
  /** EVM chains that wallets may sign in for. Default 8453 (Base). */
  readonly chainIds?: readonly number[]
  /**
   * Asks the chain whether a smart wallet accepts the signature (ERC-1271, ERC-6492). Called only
   * if the signature is not that of the address's key.
   */
  readonly verifyContract?: (
    address: string,
    hash: string,
    signature: string,
    chainId: number,
  ) => Promise<boolean>
}

export type VerifiedSiwx = {
  /**
   * EIP-55 for EVM, base58 for Solana: one form for each wallet. Accept each pair of `address` and
   * `nonce` once to prevent replays. The signature does not identify a sign-in.
   */
  readonly address: string
  readonly chain: 'evm' | 'solana'
  /** 8 to 128 letters and digits. */
  readonly nonce: string
  /** Milliseconds since 1970. */
  readonly issuedAt: number
  /** Milliseconds since 1970; absent when the message sets no expiration time. */
  readonly expiresAt?: number
}

/** EIP-4361 sets no upper bound, but servers store nonces. Ours have 16 characters. */
const maxNonceLength = 128

const solanaMainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

/**
 * Verifies the value of SIGN-IN-WITH-X in both its forms (the service's, and that of the sign-in
 * extension of x402): the header, the grammar of the message, address, chain, domain, URI, times,
 * and last the signature. It does not detect used nonces: claim (address, nonce) atomically
 * afterwards. Throws only a SiwxError.
 *
 * @param value the value of SIGN-IN-WITH-X
 * @example
 * ```ts
 * const { address, nonce } = await verifySiwxHeader(request.headers.get('sign-in-with-x') ?? '', {
 *   domain: 'api.example',
 *   uri: 'https://api.example',
 * })
 * if (!(await claimNonce(address, nonce))) throw new Error('The sign-in was used before.')
 * ```
 */
export async function verifySiwxHeader(
  value: string,
  options: VerifySiwxOptions,
): Promise<VerifiedSiwx> {
  const payload = readSiwxPayload(value)
  const { chain } = payload
  return chain.kind === 'solana'
    ? verifySolana(payload, chain.reference, options)
    : verifyEvm(payload, chain.id, options)
}

async function verifyEvm(
  payload: SiwxPayload,
  chainId: number,
  options: VerifySiwxOptions,
): Promise<VerifiedSiwx> {
  const { chainIds = [8453] } = options
  if (!chainIds.includes(chainId)) {
    throw new SiwxError(
      'unsupported_chain',
      `SIGN-IN-WITH-X: chain ${chainId} is not supported, expected ${chainIds.join(' or ')}`,
    )
  }
  const message = parseSiweMessage(payload.message)
  if (!isSameAddress(payload.address, message.address)) {
    throw new SiwxError(
      'address_mismatch',
      'SIGN-IN-WITH-X: "address" is not the address in the message',
    )
  }
  if (message.chainId !== chainId) {
    throw new SiwxError(
      'chain_mismatch',
      `SIGN-IN-WITH-X: the message is for chain ${message.chainId}, "chainId" is ${chainId}`,
    )
  }
  const times = checkTerms(message, payload, options)
  await checkEvmSignature(message.address, payload, chainId, options)
  return { address: message.address, chain: 'evm', nonce: message.nonce, ...times }
}

/** `checksummed` is in EIP-55 form, `address` may have another form. */
function isSameAddress(address: string, checksummed: string): boolean {
  return (
    address === checksummed ||
    (isAddress(address, keccak_256) && address.toLowerCase() === checksummed.toLowerCase())
  )
}

async function checkEvmSignature(
  address: string,
  { message, signature }: SiwxPayload,
  chainId: number,
  { verifyContract }: VerifySiwxOptions,
) {
  const hash = hashMessage(message)
  // a mixed-case signature decodes to the same bytes, but only tampering produces it
  const isHex = /^0x(?:(?:[0-9a-f]{2})+|(?:[0-9A-F]{2})+)$/.test(signature)
  if (isHex && recoverAddress(hash, signature) === address) return
  // some contract checks fall back to a recovery that accepts high s, so reject it first
  if (isHex && verifyContract && !hasHighS(signature)) {
    try {
      // injected code: only `true` itself counts as valid
      const isAccepted: unknown = await verifyContract(
        address,
        `0x${bytesToHex(hash)}`,
        signature,
        chainId,
      )
      if (isAccepted === true) return
    } catch (cause) {
      throw new SiwxError('verifier_failed', 'SIGN-IN-WITH-X: the contract check failed', { cause })
    }
  }
  throw new SiwxError(
    'invalid_signature',
    'SIGN-IN-WITH-X: the signature is not that of the address over the message',
  )
}

function verifySolana(
  payload: SiwxPayload,
  reference: string,
  options: VerifySiwxOptions,
): VerifiedSiwx {
  if (reference !== solanaMainnet)
    throw new SiwxError(
      'unsupported_chain',
      'SIGN-IN-WITH-X: on Solana only the main network is supported',
    )
  const message = parseSolanaMessage(payload.message)
  // base58 is case-sensitive: another spelling is another wallet
  if (payload.address !== message.address) {
    throw new SiwxError(
      'address_mismatch',
      'SIGN-IN-WITH-X: "address" is not the address in the message',
    )
  }
  if (message.chainId.replace('solana:', '') !== solanaMainnet) {
    throw new SiwxError(
      'chain_mismatch',
      'SIGN-IN-WITH-X: the message is for another chain than "chainId"',
    )
  }
  const times = checkTerms(message, payload, options)
  const key = decodeBytes(base58, message.address, 32)
  const signature =
    decodeBytes(base58, payload.signature, 64) ?? decodeBytes(base64, payload.signature, 64)
  if (
    !key ||
    !signature ||
    !verifyEd25519(signature, new TextEncoder().encode(payload.message), key)
  ) {
    throw new SiwxError(
      'invalid_signature',
      'SIGN-IN-WITH-X: the signature is not that of the address over the message',
    )
  }
  return { address: message.address, chain: 'solana', nonce: message.nonce, ...times }
}

function decodeBytes(
  coder: { decode(text: string): Uint8Array },
  text: string,
  length: number,
): Uint8Array | undefined {
  // base58 decoding takes quadratic time; 64 bytes are at most 88 characters in either encoding
  if (text.length > 88) return undefined
  try {
    const bytes = coder.decode(text)
    return bytes.length === length ? bytes : undefined
  } catch {
    return undefined
  }
}

type MessageTerms = {
  readonly scheme?: string
  readonly domain: string
  readonly uri: string
  readonly nonce: string
  readonly issuedAt: string
  readonly expirationTime?: string
  readonly notBefore?: string
}

/** Checks nonce, domain, URI and times, which are the same on both chains. */
function checkTerms(
  message: MessageTerms,
  { form, timestamp }: SiwxPayload,
  options: VerifySiwxOptions,
): { issuedAt: number; expiresAt?: number } {
  const { now = Date.now, clockSkewMs = 30_000, maxAgeMs = 600_000 } = options
  if (message.nonce.length > maxNonceLength) {
    throw new SiwxError(
      'invalid_message',
      `SIGN-IN-WITH-X: the nonce has ${message.nonce.length} characters, expected 8 to ${maxNonceLength} letters and digits`,
    )
  }
  if (message.domain !== options.domain) {
    throw new SiwxError(
      'domain_mismatch',
      `SIGN-IN-WITH-X: the message is for another domain, expected ${options.domain}`,
    )
  }
  if (message.scheme !== undefined && !options.uri.startsWith(`${message.scheme}://`)) {
    throw new SiwxError(
      'domain_mismatch',
      `SIGN-IN-WITH-X: the domain in the message has another scheme, expected that of ${options.uri}, or none`,
    )
  }
  // the extension of x402 has the URI of the resource, the service's form has the origin
  if (
    message.uri !== options.uri &&
    !(form === 'fields' && readOrigin(message.uri) === options.uri)
  )
    throw new SiwxError(
      'uri_mismatch',
      `SIGN-IN-WITH-X: the message is for another URI, expected ${options.uri}`,
    )
  const time = now()
  // every comparison with NaN is false, so a broken clock would accept all messages
  if (!Number.isFinite(time))
    throw new SiwxError('verifier_failed', `SIGN-IN-WITH-X: the time of this server is ${time}`)
  const issuedAt = parseRfc3339(message.issuedAt) ?? NaN
  const expiresAt =
    message.expirationTime === undefined ? undefined : parseRfc3339(message.expirationTime)
  const notBefore =
    message.notBefore === undefined ? issuedAt : (parseRfc3339(message.notBefore) ?? NaN)
  if (issuedAt > time + clockSkewMs || notBefore > time + clockSkewMs) {
    throw new SiwxError(
      'not_yet_valid',
      `SIGN-IN-WITH-X: the message is from the future; the time of this server is ${formatTime(time)}`,
    )
  }
  if (
    time - issuedAt > maxAgeMs + clockSkewMs ||
    (expiresAt !== undefined && (time >= expiresAt || expiresAt <= issuedAt))
  ) {
    throw new SiwxError(
      'expired',
      `SIGN-IN-WITH-X: the message has expired; the time of this server is ${formatTime(time)}`,
    )
  }
  if (
    timestamp !== undefined &&
    (timestamp < issuedAt - clockSkewMs || timestamp > time + clockSkewMs)
  ) {
    throw new SiwxError(
      'timestamp_mismatch',
      'SIGN-IN-WITH-X: "timestamp" is outside the lifetime of the message, expected milliseconds',
    )
  }
  return { issuedAt, ...(expiresAt !== undefined && { expiresAt }) }
}

function readOrigin(uri: string): string | undefined {
  return URL.canParse(uri) ? new URL(uri).origin : undefined
}

function formatTime(time: number): string {
  return new Date(time).toISOString()
}
