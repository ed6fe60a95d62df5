import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import { associatedTokenProgram } from './programs.js'

/**
 * The token account of a wallet for a mint: the first address, from bump 255 downwards, that is not
 * a point of the curve and so has no private key.
 * @see https://solana.com/docs/core/pda
 */
export function associatedTokenAddress(wallet: string, mint: string, tokenProgram: string): string {
  const seeds = [wallet, tokenProgram, mint].map((address) => base58.decode(address))
  const tail = [base58.decode(associatedTokenProgram), utf8ToBytes('ProgramDerivedAddress')]
  for (let bump = 255; bump >= 0; bump--) {
    const hash = sha256(concatBytes(...seeds, Uint8Array.of(bump), ...tail))
    if (!isOnCurve(hash)) return base58.encode(hash)
  }
  throw new RangeError(`Solana: there is no token account of ${wallet} for ${mint}`)
}

/** Like the chain, it accepts any encoding of a point, canonical or not. */
function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true)
    return true
  } catch {
    return false
  }
}
