import { nativeCurves } from '#native-curves'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { SignSecp256k1 } from '../native/native-curves.js'

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
