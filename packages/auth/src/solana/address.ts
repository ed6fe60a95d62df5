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
export function deriveAssociatedTokenAddress(
  wallet: string,
  mint: string,
  tokenProgram: string,
): string {
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

/** A known USDC mint, with the names of its network. */
export type UsdcMint = {
  /** CAIP-2. */
  readonly network: string
  /** The name of the network in x402 version 1. */
  readonly networkV1: string
  readonly asset: string
  readonly decimals: number
  /** The program that owns the mint. */
  readonly tokenProgram: string
}

export const usdcMints: readonly UsdcMint[] = [
  {
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    networkV1: 'solana',
    asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    decimals: 6,
    tokenProgram,
  },
  {
    network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    networkV1: 'solana-devnet',
    asset: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
    decimals: 6,
    tokenProgram,
  },
]

/**
 * The known mint of a network (CAIP-2 or version 1 name).
 *
 * @param network a CAIP-2 name, or a name of x402 version 1
 * @example
 * ```ts
 * findUsdcMint('solana')?.asset // the USDC mint of the main network
 * ```
 */
export function findUsdcMint(network: string): UsdcMint | undefined {
  return usdcMints.find((mint) => mint.network === network || mint.networkV1 === network)
}
