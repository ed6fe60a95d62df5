import { isRecord } from '../../platform/is-record.js'
import type { JsonRpc } from './json-rpc.js'
import { canonical, type Settlement } from './settlement.js'

/** What to look for in a transaction. */
export type Asked = { readonly transaction: string; readonly asset: string; readonly payee: string | undefined }

/**
 * The movements of an asset in a transaction, to the payee where one is known. Undefined where the
 * chain has no such transaction, or it failed. Rejects with a JsonRpcError.
 */
export type ChainSettlements = (asked: Asked) => Promise<readonly Settlement[] | undefined>

type Json = Readonly<Record<string, unknown>>

/** Of `Transfer(address,address,uint256)` (ERC-20). */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export function evmSettlements(rpc: JsonRpc): ChainSettlements {
  return async ({ transaction, asset, payee }) => {
    const receipt = await rpc('eth_getTransactionReceipt', [transaction])
    if (!isRecord(receipt) || receipt['status'] !== '0x1') return undefined
    return filterRecords(receipt['logs']).flatMap(({ address, topics, data }) => {
      const [topic, from, to] = Array.isArray(topics) ? topics.map(String) : []
      const isTransfer =
        canonical(String(address)) === canonical(asset) && topic === transferTopic && from !== undefined && to !== undefined
      if (!isTransfer || (payee !== undefined && parseTopicAddress(to) !== canonical(payee))) return []
      const amount = String(data)
      return /^0x[\da-f]{1,64}$/i.test(amount) ? [{ transaction, payer: parseTopicAddress(from), amount: BigInt(amount) }] : []
    })
  }
}

/** The last 20 bytes of a topic. */
function parseTopicAddress(topic: string): string {
  return canonical(`0x${topic.slice(-40)}`)
}

/** By the balances of tokens: what each owner lost, where the payee got something. */
export function solanaSettlements(rpc: JsonRpc): ChainSettlements {
  return async ({ transaction, asset, payee }) => {
    const params = { encoding: 'jsonParsed', commitment: 'finalized', maxSupportedTransactionVersion: 0 }
    const found = await rpc('getTransaction', [transaction, params])
    const meta = isRecord(found) ? found['meta'] : undefined
    if (!isRecord(meta) || meta['err'] !== null) return undefined
    const changes = new Map<string, bigint>()
    for (const [name, sign] of [
      ['preTokenBalances', -1n],
      ['postTokenBalances', 1n],
    ] as const) {
      for (const { mint, owner, uiTokenAmount } of filterRecords(meta[name])) {
        const amount = isRecord(uiTokenAmount) ? String(uiTokenAmount['amount']) : ''
        if (mint === asset && typeof owner === 'string' && /^\d+$/.test(amount)) {
          changes.set(owner, (changes.get(owner) ?? 0n) + sign * BigInt(amount))
        }
      }
    }
    if (payee !== undefined && (changes.get(payee) ?? 0n) <= 0n) return []
    return [...changes].filter(([, change]) => change < 0n).map(([payer, change]) => ({ transaction, payer, amount: -change }))
  }
}

function filterRecords(list: unknown): readonly Json[] {
  return Array.isArray(list) ? list.filter(isRecord) : []
}
