import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { checksumAddress } from './checksum-address.js'

/**
 * The address whose key signed the hash, in EIP-55 form. Undefined for anything but a 65-byte
 * signature (0x and 130 hex digits) with v of 27, 28, 0 or 1 and s in the lower half of the order.
 * High s gives a second valid signature that can be computed without the key, and USDC's contract
 * refuses it. Never throws.
 */
export function recoverAddress(hash: Uint8Array, signature: string): string | undefined {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) return undefined
  const bytes = hexToBytes(signature.slice(2))
  const v = bytes[64] ?? 255
  const bit = v >= 27 ? v - 27 : v
  if (bit !== 0 && bit !== 1) return undefined
  try {
    const parsed = secp256k1.Signature.fromBytes(bytes.slice(0, 64), 'compact')
    if (parsed.hasHighS()) return undefined
    return addressOf(parsed.addRecoveryBit(bit).recoverPublicKey(hash).toBytes(false))
  } catch {
    return undefined
  }
}

/** Whether a signature of 65 bytes has its s in the upper half of the order. */
export function hasHighS(signature: string): boolean {
  return signature.length === 132 && BigInt(`0x${signature.slice(66, 130)}`) > secp256k1.Point.Fn.ORDER >> 1n
}

/** The EIP-55 address of an uncompressed public key (65 bytes). */
export function addressOf(publicKey: Uint8Array): string {
  return checksumAddress(`0x${bytesToHex(keccak_256(publicKey.slice(1)).slice(12))}`, keccak_256)
}
