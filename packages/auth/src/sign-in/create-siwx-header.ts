import { AuthError, describeThrown } from '../errors.js'
import { checksumAddress, isAddress } from '../evm/address.js'
import { encodeHex, encodeJsonHeader } from '../encoding.js'
import type { WalletSigner } from '../signers/signer.js'

export type SiwxHeaderOptions = {
  /** The host of the service, with its port if it has one. */
  readonly domain: string
  /** The origin of the service, without a slash at the end. */
  readonly uri: string
  /** One line of ASCII, the fixed sentence of the service: `Sign in to Farebox API`. */
  readonly statement: string
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** 8 to 128 letters or digits, different each time. Default: 16 random hex digits. */
  readonly nonce?: (() => string) | undefined
  /** Default 600,000: ten minutes, the longest lifetime that the service accepts. */
  readonly lifetimeMs?: number
}

const base = 8453
const solanaMainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

/**
 * The value of SIGN-IN-WITH-X: base64 of a JSON object with the message, its signature and the time
 * (interface specification, "SIGN-IN-WITH-X header"). Each call signs a new message with a new
 * nonce. An EVM address is converted to EIP-55 form, which EIP-4361 requires. Rejects with an
 * AuthError: `signing_failed` if the wallet does not sign, `invalid_signer` if its address is
 * invalid.
 *
 * @example
 * ```ts
 * const header = await createSiwxHeader(signer, {
 *   domain: 'api.example',
 *   uri: 'https://api.example',
 *   statement: 'Sign in to Farebox API',
 * })
 * await fetch(url, { headers: { 'sign-in-with-x': header } })
 * ```
 */
export async function createSiwxHeader(
  signer: WalletSigner,
  options: SiwxHeaderOptions,
): Promise<string> {
  const {
    domain,
    uri,
    statement,
    now = Date.now,
    nonce = createNonce,
    lifetimeMs = 600_000,
  } = options
  const { kind } = signer
  const address = kind === 'evm' ? requireChecksum(signer.address) : signer.address
  const timestamp = now()
  const fields = {
    domain,
    address,
    statement,
    uri,
    nonce: nonce(),
    issuedAt: new Date(timestamp).toISOString(),
    expirationTime: new Date(timestamp + lifetimeMs).toISOString(),
  }
  const [message, chain] =
    kind === 'solana'
      ? [
          solanaMessage({ ...fields, chainId: solanaMainnet }),
          { chainId: `solana:${solanaMainnet}`, type: 'ed25519' },
        ]
      : [siweMessage({ ...fields, chainId: base }), { chainId: base, type: 'eip191' }]
  return encodeJsonHeader({
    address,
    message,
    signature: await signMessage(signer, message),
    timestamp,
    ...chain,
  })
}

function requireChecksum(address: string): string {
  if (isAddress(address)) return checksumAddress(address)
  throw new AuthError(
    'invalid_signer',
    'Sign-in: the address is not 0x and 40 hex digits, in one case or EIP-55 form',
  )
}

async function signMessage(signer: WalletSigner, message: string): Promise<string> {
  try {
    return await signer.sign(message)
  } catch (cause) {
    throw new AuthError(
      'signing_failed',
      `Sign-in: the wallet ${signer.address} did not sign (${describeThrown(cause)})`,
      { cause },
    )
  }
}

function createNonce(): string {
  return encodeHex(crypto.getRandomValues(new Uint8Array(8)))
}

/** The fields of a sign-in message. Dates are in ISO 8601. */
export type SiwxMessageFields = {
  /** Host, with its port if it has one. */
  readonly domain: string
  readonly address: string
  /** One line of ASCII. */
  readonly statement?: string
  readonly uri: string
  /** EVM: digits. Solana: the reference of the network. */
  readonly chainId: number | string
  readonly nonce: string
  readonly issuedAt: string
  readonly expirationTime?: string
  readonly notBefore?: string
  readonly requestId?: string
  readonly resources?: readonly string[]
}

/**
 * The EIP-4361 message with these fields. Lines end with a line feed, except the last one. A
 * missing statement leaves two empty lines.
 *
 * @example
 * ```ts
 * const issuedAt = new Date().toISOString()
 * const message = siweMessage({ domain, address, uri, chainId: 8453, nonce, issuedAt })
 * ```
 * @see https://eips.ethereum.org/EIPS/eip-4361
 */
export function siweMessage(fields: SiwxMessageFields): string {
  return formatMessage('Ethereum', fields, ['', ''])
}

/**
 * The same for a Solana wallet (interface specification, "SIGN-IN-WITH-X header"). A missing
 * statement leaves one empty line.
 *
 * @example
 * ```ts
 * const issuedAt = new Date().toISOString()
 * const message = solanaMessage({ domain, address, uri, chainId, nonce, issuedAt })
 * ```
 */
export function solanaMessage(fields: SiwxMessageFields): string {
  return formatMessage('Solana', fields, [''])
}

function formatMessage(
  chain: string,
  fields: SiwxMessageFields,
  emptyStatement: readonly string[],
): string {
  const { statement, resources } = fields
  const lines = [
    `${fields.domain} wants you to sign in with your ${chain} account:`,
    fields.address,
    ...(statement === undefined ? emptyStatement : ['', statement, '']),
    `URI: ${fields.uri}`,
    'Version: 1',
    `Chain ID: ${fields.chainId}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}`,
    ...formatOptionalLine('Expiration Time: ', fields.expirationTime),
    ...formatOptionalLine('Not Before: ', fields.notBefore),
    ...formatOptionalLine('Request ID: ', fields.requestId),
    ...(resources ? ['Resources:', ...resources.map((resource) => `- ${resource}`)] : []),
  ]
  return lines.join('\n')
}

function formatOptionalLine(label: string, value: string | undefined): string[] {
  return value === undefined ? [] : [label + value]
}
