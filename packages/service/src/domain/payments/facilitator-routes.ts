import { usdcMintOn, usdcOn } from '@farebox/auth/verify'
import { isSolanaAddress } from './is-solana-address.js'
import { isRecord } from '../../platform/is-record.js'
import type { PaymentRoute } from './offers-of.js'

/** A route that a facilitator settles, with the protocol version. */
export type FacilitatorRoute = PaymentRoute & { readonly version: 1 | 2 }

export type Payees = { readonly evm?: string; readonly solana?: string }

/**
 * The `networks` (CAIP-2) with a payee that `/supported` lists with the scheme exact. Version 2 is
 * preferred. On Solana the facilitator must name its fee payer.
 */
export function readRoutes(
  supported: Readonly<Record<string, unknown>>,
  networks: readonly string[],
  payees: Payees,
): readonly FacilitatorRoute[] {
  const kinds = Array.isArray(supported['kinds']) ? supported['kinds'].filter(isRecord) : []
  return networks.flatMap((network) => {
    const token = usdcOn(network) ?? usdcMintOn(network)
    const payTo = usdcOn(network) ? payees.evm : payees.solana
    if (!token || payTo === undefined) return []
    const found = ([2, 1] as const).flatMap((version) =>
      kinds
        .filter((kind) => kind['x402Version'] === version && kind['scheme'] === 'exact')
        .filter((kind) => kind['network'] === (version === 2 ? network : token.networkV1))
        .map((kind) => ({ version, extra: isRecord(kind['extra']) ? kind['extra'] : {} })),
    )
    if (usdcOn(network)) return found.slice(0, 1).map(({ version }) => ({ network, payTo, version }))
    return found
      .flatMap(({ version, extra: { feePayer } }) => {
        if (typeof feePayer !== 'string' || !isSolanaAddress(feePayer)) return []
        return [{ network, payTo, version, extra: { feePayer } }]
      })
      .slice(0, 1)
  })
}
