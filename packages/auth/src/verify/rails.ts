import { evmRail } from './evm-rail.js'
import { tokenOn, type KnownToken, type Rail } from './rail.js'
import { solanaRail } from './solana-rail.js'
import type { VerifiedPayment } from './verified-payment.js'

/** The payment rails, by the `kind` of their payments. */
export const rails = { evm: evmRail, solana: solanaRail } satisfies {
  readonly [Kind in VerifiedPayment['kind']]: Rail
}

export type RailKind = keyof typeof rails

/** The kind of rail of a network, by its CAIP-2 or version 1 name. `evm` for an unknown name. */
export function findRailKind(network: string): RailKind {
  return (
    (Object.keys(rails) as RailKind[]).find((kind) => rails[kind].networks.test(network)) ?? 'evm'
  )
}

/** The known USDC of a network, by its CAIP-2 or version 1 name. */
export function findUsdcToken(network: string): KnownToken | undefined {
  return tokenOn<KnownToken>(rails[findRailKind(network)], network)
}
