import { nativeCurves } from '#native-curves'
import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { NativeCurves } from './web.js'

/**
 * Strict Ed25519 (RFC 8032): canonical key and R, S below the order, and neither the key nor R of
 * small order. For a small-order key, anyone can compute a signature that lax libraries and the
 * platform's crypto accept. The equation is that of RFC 8032 with its cofactor of 8. Never throws.
 *
 * @example
 * ```ts
 * const isValid = verifyEd25519(signature, new TextEncoder().encode(message), publicKey)
 * ```
 */
export function verifyEd25519(
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  return verifyEd25519With(nativeCurves, signature, message, publicKey)
}

/**
 * The result is the same with the platform's code and without. If the equation holds without the
 * cofactor, it holds with it, so the platform's yes is final. After its no, noble decides.
 */
export function verifyEd25519With(
  { holdsEd25519 }: NativeCurves,
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false
  if (!isStrictPoint(publicKey) || !isStrictPoint(signature.slice(0, 32))) return false
  if (readLittleEndian(signature.slice(32)) >= ed25519.Point.Fn.ORDER) return false
  const holds = (check: NativeCurves['holdsEd25519']) => {
    try {
      return check?.(signature, message, publicKey) === true
    } catch {
      return false
    }
  }
  return holds(holdsEd25519) || holds((...inputs) => ed25519.verify(...inputs, { zip215: false }))
}

/**
 * Whether 32 bytes encode a point that is not of small order: y below the prime, and no y
 * of such a point. Those are 0 (order 4), 1 and -1 (order 1 and 2), and the roots of
 * d·y⁴ + 2·y² - 1, whose doubles have the y 0 (order 8). They include every x of 0, which has no
 * sign.
 */
function isStrictPoint(bytes: Uint8Array): boolean {
  const prime = ed25519.Point.Fp.ORDER
  const y = BigInt.asUintN(255, readLittleEndian(bytes))
  const square = (y * y) % prime
  const { d } = ed25519.Point.CURVE()
  return y < prime && (y * (square - 1n) * (d * square * square + 2n * square - 1n)) % prime !== 0n
}

/** Little-endian. */
function readLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes.toReversed())}`)
}

/**
 * Signs messages with the key of a seed (RFC 8032): with the platform's Ed25519, if available,
 * otherwise with noble. The signatures are the same, unless the platform uses a random nonce.
 */
export function createEd25519Signer(
  seed: Uint8Array,
  { ed25519Signer }: NativeCurves = nativeCurves,
): (message: Uint8Array) => Promise<Uint8Array> {
  const native = ed25519Signer?.(seed)
  return async (message) => (await native?.(message)) ?? ed25519.sign(message, seed)
}
