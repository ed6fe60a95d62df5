import { ed25519 } from '@noble/curves/ed25519.js'

/**
 * Strict Ed25519 (RFC 8032): canonical key and R, S below the order, and neither the key nor R of
 * small order. For a small-order key, a signature that lax libraries and the platform's crypto
 * accept can be made without a secret. Never throws.
 */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false
  try {
    if (ed25519.Point.fromBytes(publicKey).isSmallOrder()) return false
    if (ed25519.Point.fromBytes(signature.slice(0, 32)).isSmallOrder()) return false
    return ed25519.verify(signature, message, publicKey, { zip215: false })
  } catch {
    return false
  }
}
