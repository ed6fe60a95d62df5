import { rails } from '@farebox/auth/verify'
import type { PayeeOptions } from '../payments/service-rail.js'
import { evmSettlements, solanaSettlements } from './chain-settlements.js'
import { createJsonRpc, type JsonRpcOptions } from './json-rpc.js'
import type { Chain } from './reconcile.js'

/** The URLs of JSON-RPC nodes, by the CAIP-2 name of their chain. */
export type ChainNodes = Readonly<Record<string, string>>

export function openChains(
  nodes: ChainNodes,
  { payTo, payToSolana }: PayeeOptions,
  fetch?: JsonRpcOptions['fetch'],
): ReadonlyMap<string, Chain> {
  const chains = Object.entries(nodes).map(([network, url]): readonly [string, Chain] => {
    const rpc = createJsonRpc({ url, ...(fetch && { fetch }) })
    const isSolana = rails.solana.networks.test(network)
    return [
      network,
      isSolana ? { settlements: solanaSettlements(rpc), payee: payToSolana } : { settlements: evmSettlements(rpc), payee: payTo },
    ]
  })
  return new Map(chains)
}
