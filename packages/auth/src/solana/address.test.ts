import { expect, test } from 'vitest'
import { deriveAssociatedTokenAddress, tokenProgram } from './address.js'

// from findAssociatedTokenPda of @solana-program/token 0.9.0
const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const known = [
  ['AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9', '3wvJdyFnGvaMWpbq93NU91SggiVRveULUXL6iX5VZDGP'],
  ['9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu', 'ASZ2TDDNJG2n42TxAezqNNzwWipykHrENDKMCoLKgzup'],
  ['GyGKxMyg1p9SsHfm15MkNUu1u9TN2JtTspcdmrtGUdse', 'DNDTCnZkNk358qDFZd9unHtnrc73SsXcpVWtwJJMrR4B'],
  ['EdmxWPmx2WH6WgFfTdu9xfkYf3k1g5wD1zccTVySEEh1', 'FHPASu6WrzXmbm5NbAQy9BxwX5naUHKn5z8ycurGoSX'],
] as const

for (const [wallet, account] of known) {
  test(`the token account of ${wallet} is ${account}`, () =>
    expect(deriveAssociatedTokenAddress(wallet, usdc, tokenProgram)).toBe(account))
}
