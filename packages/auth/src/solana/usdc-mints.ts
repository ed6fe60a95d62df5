import { tokenProgram } from './address.js'

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

/** The known mint of a network (CAIP-2 or version 1 name). */
export function findUsdcMint(network: string): UsdcMint | undefined {
  return usdcMints.find((mint) => mint.network === network || mint.networkV1 === network)
}
