import { nativeCurves } from '#native-curves'
import { ed25519 } from '@noble/curves/ed25519.js'
import type { NativeCurves } from '../native/native-curves.js'

/**
 * Signs messages with the key of a seed (RFC 8032): by the platform's code where it has Ed25519,
 * else by noble. The signatures are the same, unless the platform draws a nonce by chance.
 */
export function ed25519SignerOf(
  seed: Uint8Array,
  { ed25519Signer }: NativeCurves = nativeCurves,
): (message: Uint8Array) => Promise<Uint8Array> {
  const native = ed25519Signer?.(seed)
  return async (message) => (await native?.(message)) ?? ed25519.sign(message, seed)
}
