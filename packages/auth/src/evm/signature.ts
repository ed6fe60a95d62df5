import { nativeCurves } from '#native-curves'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { RecoverPublicKey, SignSecp256k1 } from '../native/native-curves.js'
import { addressFromPublicKey } from './hashes.js'

/**
 * The address whose key signed the hash, in EIP-55 form. Undefined for anything but a 65-byte
 * signature (0x and 130 hex digits) with v of 27, 28, 0 or 1 and s in the lower half of the order.
 * High s gives a second valid signature that can be computed without the key, and USDC's contract
 * rejects it. Never throws.
 */
export function recoverAddress(hash: Uint8Array, signature: string): string | undefined {
  return recoverAddressWith(nativeCurves.recoverPublicKey ?? recoverByNoble, hash, signature)
}

/**
 * Whether libsecp256k1 recovers the keys of EVM signatures. Without it @noble/curves does, with the
 * same results, about thirty times slower.
 */
export const hasLibsecp256k1 = nativeCurves.recoverPublicKey !== undefined

/** The result is the same with either implementation. */
export function recoverAddressWith(
  recoverPublicKey: RecoverPublicKey,
  hash: Uint8Array,
  signature: string,
): string | undefined {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature) || hasHighS(signature)) return undefined
  const bytes = hexToBytes(signature.slice(2))
  const v = bytes[64] ?? 255
  const bit = v >= 27 ? v - 27 : v
  if (bit !== 0 && bit !== 1) return undefined
  try {
    return addressFromPublicKey(recoverPublicKey(hash, bytes.slice(0, 64), bit))
  } catch {
    return undefined
  }
}

export const recoverByNoble: RecoverPublicKey = (hash, signature, bit) =>
  secp256k1.Signature.fromBytes(signature, 'compact')
    .addRecoveryBit(bit)
    .recoverPublicKey(hash)
    .toBytes(false)

/** Whether a signature of 65 bytes has its s in the upper half of the order. */
export function hasHighS(signature: string): boolean {
  return (
    signature.length === 132 &&
    BigInt(`0x${signature.slice(66, 130)}`) > secp256k1.Point.Fn.ORDER >> 1n
  )
}

/**
 * The EVM signature of a hash, with the nonce of RFC 6979, low s, and v of 27 or 28. libsecp256k1
 * and noble return the same bytes.
 */
export function signHash(
  hash: Uint8Array,
  key: Uint8Array,
  sign: SignSecp256k1 = nativeCurves.signSecp256k1 ?? signByNoble,
): string {
  const { signature, recid } = sign(hash, key)
  return `0x${bytesToHex(signature)}${(recid + 27).toString(16)}`
}

export const signByNoble: SignSecp256k1 = (hash, key) => {
  const [recid = 0, ...compact] = secp256k1.sign(hash, key, {
    prehash: false,
    format: 'recovered',
    lowS: true,
  })
  return { signature: Uint8Array.from(compact), recid }
}
