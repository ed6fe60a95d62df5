import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import { AuthError } from './errors.js'
import { deriveAddress, hashMessage, hashTypedData, signHash } from './evm/signature.js'
import { createEd25519Signer } from './native/ed25519.js'
import type { EvmSigner, WalletSigner } from './signers/signer.js'

/**
 * A signer from a raw EVM private key (0x and 64 hex digits). Signatures have deterministic nonces
 * (RFC 6979), low s, and v of 27 or 28. The key is kept in a closure: no property, inspection, JSON
 * or error reveals it.
 *
 * @example
 * ```ts
 * const signer = privateKeySigner(generatePrivateKey())
 * const signedFetch = withMiddleware(fetch, signIn(signer, { origin }))
 * ```
 */
export function privateKeySigner(privateKey: string): EvmSigner {
  const key = readKey(privateKey)
  return Object.freeze<EvmSigner>({
    kind: 'evm',
    address: deriveAddress(secp256k1.getPublicKey(key, false)),
    sign: async (message) => signHash(hashMessage(message), key),
    signTypedData: async (typedData) => signHash(hashTypedData(typedData), key),
  })
}

/**
 * Generates a private key. `random` fills 32 bytes. Default: `crypto.getRandomValues`.
 *
 * @example
 * ```ts
 * const privateKey = generatePrivateKey() // 0x and 64 hex digits
 * ```
 */
export function generatePrivateKey(
  random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = (bytes) => crypto.getRandomValues(bytes),
): string {
  for (;;) {
    const key = random(new Uint8Array(32))
    if (secp256k1.utils.isValidSecretKey(key)) return `0x${bytesToHex(key)}`
  }
}

function readKey(privateKey: string): Uint8Array {
  const hex =
    typeof privateKey === 'string' ? /^0x([0-9a-fA-F]{64})$/.exec(privateKey)?.[1] : undefined
  const key = hex === undefined ? undefined : hexToBytes(hex)
  if (!key || !secp256k1.utils.isValidSecretKey(key)) {
    throw new AuthError(
      'invalid_key',
      'privateKeySigner: expected a private key of 0x and 64 hex digits, within the order of secp256k1',
    )
  }
  return key
}

/**
 * A signer from a raw Solana secret: the 32 bytes of the seed, or the 64 bytes of seed and public
 * key in a key file. The secret is kept in a closure: no property, inspection, JSON or error
 * reveals it.
 *
 * @example
 * ```ts
 * const secret = Uint8Array.from(JSON.parse(await readFile('id.json', 'utf8')))
 * const signer = solanaKeySigner(secret)
 * ```
 */
export function solanaKeySigner(secret: Uint8Array): WalletSigner {
  if (!(secret instanceof Uint8Array) || (secret.length !== 32 && secret.length !== 64)) {
    throw new AuthError('invalid_key', 'solanaKeySigner: expected a secret of 32 or 64 bytes')
  }
  const seed = secret.slice(0, 32)
  const publicKey = ed25519.getPublicKey(seed)
  if (secret.slice(32).some((byte, at) => byte !== publicKey[at])) {
    throw new AuthError(
      'invalid_key',
      'solanaKeySigner: the public half of the 64 bytes does not match the secret half',
    )
  }
  const sign = createEd25519Signer(seed)
  return Object.freeze<WalletSigner>({
    kind: 'solana',
    address: base58.encode(publicKey),
    sign: async (message) => base58.encode(await sign(new TextEncoder().encode(message))),
  })
}
