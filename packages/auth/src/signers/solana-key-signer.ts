import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { AuthError } from '../auth-error.js'
import type { WalletSigner } from './signer.js'
import { createEd25519Signer } from '../native/ed25519.js'

/**
 * A signer from a raw Solana secret: the 32 bytes of the seed, or the 64 bytes of seed and public
 * key in a key file. The secret is kept in a closure: no property, inspection, JSON or error
 * reveals it.
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
