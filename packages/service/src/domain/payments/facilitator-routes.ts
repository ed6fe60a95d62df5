import { findUsdcToken } from '@farebox/auth/verify'
import { isRecord } from '../../platform/is-record.js'
import type { PaymentRoute } from './list-offers.js'
import { findRail } from './payment-rails.js'
import type { PayeeOptions } from './service-rail.js'

/** A route that a facilitator settles, with the protocol version. */
export type FacilitatorRoute = PaymentRoute & { readonly version: 1 | 2 }

/**
 * The `networks` (CAIP-2) with a payee that `/supported` lists with the scheme exact. Version 2 is
 * preferred. On Solana the facilitator must name its fee payer.
 */
export function readRoutes(
  supported: Readonly<Record<string, unknown>>,
  networks: readonly string[],
  payees: PayeeOptions,
): readonly FacilitatorRoute[] {
  const kinds = Array.isArray(supported['kinds']) ? supported['kinds'].filter(isRecord) : []
  return networks.flatMap((network) => {
    const token = findUsdcToken(network)
    const { option, facilitatorExtra } = findRail(network)
    const payTo = payees[option]
    if (!token || payTo === undefined) return []
    const found = ([2, 1] as const).flatMap((version) =>
      kinds
        .filter((kind) => kind['x402Version'] === version && kind['scheme'] === 'exact')
        .filter((kind) => kind['network'] === (version === 2 ? network : token.networkV1))
        .flatMap((kind) => {
          const extra = facilitatorExtra(isRecord(kind['extra']) ? kind['extra'] : {})
          return extra ? [{ network, payTo, version, extra }] : []
        }),
    )
    return found.slice(0, 1)
  })
}
