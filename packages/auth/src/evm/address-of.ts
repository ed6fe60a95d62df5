import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { checksumAddress } from './checksum-address.js'

/** The EIP-55 address of an uncompressed public key (65 bytes). */
export function addressOf(publicKey: Uint8Array): string {
  return checksumAddress(`0x${bytesToHex(keccak_256(publicKey.slice(1)).slice(12))}`, keccak_256)
}
