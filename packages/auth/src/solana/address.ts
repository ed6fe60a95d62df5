import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'

/** The programs that an x402 payment on Solana calls, and those that a wallet may add. */
export const computeBudgetProgram = 'ComputeBudget111111111111111111111111111111'
export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
export const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'
/** Assertions that wallets such as Phantom and Solflare add to a transaction. */
export const lighthouseProgram = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95'

/**
 * The token account of a wallet for a mint: the first address, from bump 255 downwards, that is not
 * a point on the curve and so has no private key.
 * @see https://solana.com/docs/core/pda
 */
export function associatedTokenAddress(wallet: string, mint: string, tokenProgram: string): string {
  const seeds = [wallet, tokenProgram, mint].map((address) => base58.decode(address))
  const tail = [base58.decode(associatedTokenProgram), utf8ToBytes('ProgramDerivedAddress')]
  for (let bump = 255; bump >= 0; bump--) {
    const hash = sha256(concatBytes(...seeds, Uint8Array.of(bump), ...tail))
    if (!isOnCurve(hash)) return base58.encode(hash)
  }
  throw new RangeError(`Solana: ${wallet} has no token account for ${mint}`)
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

/** Whether a value is base58 of 32 bytes: an address, or a block hash. */
export function isSolanaAddress(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value)) return false
  return base58.decode(value).length === 32
}
