import { expect, it } from 'vitest'
import { findRailKind, rails, findUsdcToken } from './rails.js'

it.each(Object.entries(rails))(
  '%s recognises its networks by each name, and no other rail does',
  (kind, { tokens }) => {
    for (const token of tokens) {
      for (const name of [token.network, token.networkV1])
        expect([findRailKind(name), findUsdcToken(name)]).toEqual([kind, token])
    }
  },
)

it('a network without known USDC has no token', () => {
  expect(['solana:unknown', 'solana-testnet', 'eip155:1', 'bitcoin'].map(findUsdcToken)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
