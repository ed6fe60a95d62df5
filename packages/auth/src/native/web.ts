import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'

/**
 * The platform's own code for signatures. Each is absent if the platform has none. They are
 * reliable only for well-formed input: the callers check everything that the libraries disagree on.
 */
export type NativeCurves = {
  /**
   * The public key, in 65 bytes, of a 64-byte ECDSA signature over secp256k1. Throws if there is
   * none.
   */
  readonly recoverPublicKey?: RecoverPublicKey
  /** Whether the equation of Ed25519 holds without a cofactor. */
  readonly holdsEd25519?: (
    signature: Uint8Array,
    message: Uint8Array,
    publicKey: Uint8Array,
  ) => boolean
  readonly signSecp256k1?: SignSecp256k1
  readonly ed25519Signer?: Ed25519Signer
}

export type RecoverPublicKey = (hash: Uint8Array, signature: Uint8Array, bit: 0 | 1) => Uint8Array

/** ECDSA over secp256k1 with the nonce of RFC 6979 and low s: r and s in 64 bytes, and `recid`, the recovery bit. */
export type SignSecp256k1 = (
  hash: Uint8Array,
  key: Uint8Array,
) => { readonly signature: Uint8Array; readonly recid: number }

/**
 * Signs messages with the key of a seed; undefined if the platform turns out to lack Ed25519.
 */
type Ed25519Signer = (seed: Uint8Array) => (message: Uint8Array) => Promise<Uint8Array | undefined>

/** A seed in the format that platforms import (PKCS #8, RFC 8410, section 7). */
export function encodePkcs8(seed: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hexToBytes(`302e020100300506032b657004220420${bytesToHex(seed)}`))
}

/** For browsers, workers and all platforms but Node: Ed25519 of WebCrypto, if available. */
export const nativeCurves: NativeCurves = {
  ed25519Signer: (seed) => {
    let importing: Promise<CryptoKey> | undefined
    return async (message) => {
      try {
        const key = await (importing ??= crypto.subtle.importKey(
          'pkcs8',
          encodePkcs8(seed),
          'Ed25519',
          false,
          ['sign'],
        ))
        return new Uint8Array(await crypto.subtle.sign('Ed25519', key, Uint8Array.from(message)))
      } catch {
        return undefined
      }
    }
  },
}
