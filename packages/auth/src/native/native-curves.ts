import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'

/**
 * The platform's own code for signatures. Each is absent where the platform has none. They answer
 * for well-formed input alone: the callers check what the libraries disagree on.
 */
export type NativeCurves = {
  /**
   * The public key, in 65 bytes, of an ECDSA signature over secp256k1 of 64 bytes. Throws where
   * there is none.
   */
  readonly recoverPublicKey?: RecoverPublicKey
  /** Whether the equation of Ed25519 holds without a cofactor. */
  readonly holdsEd25519?: (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean
  readonly signSecp256k1?: SignSecp256k1
  readonly ed25519Signer?: Ed25519Signer
}

export type RecoverPublicKey = (hash: Uint8Array, signature: Uint8Array, bit: 0 | 1) => Uint8Array

/** ECDSA over secp256k1 with the nonce of RFC 6979 and low s: r and s in 64 bytes, and the bit. */
export type SignSecp256k1 = (hash: Uint8Array, key: Uint8Array) => { readonly signature: Uint8Array; readonly recid: number }

/**
 * Takes the seed of a key, and gives its signatures of messages; undefined where the platform turns
 * out to have no Ed25519.
 */
export type Ed25519Signer = (seed: Uint8Array) => (message: Uint8Array) => Promise<Uint8Array | undefined>

/** A seed in the form that platforms import (PKCS #8, RFC 8410, section 7). */
export function encodePkcs8(seed: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hexToBytes(`302e020100300506032b657004220420${bytesToHex(seed)}`))
}
