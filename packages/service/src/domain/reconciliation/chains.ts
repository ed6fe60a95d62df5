import { rails } from '@farebox/auth/verify'
import { readBounded } from '../../platform/bounded-body.js'
import { isRecord } from '../../platform/unknown-value.js'
import { sendRequest } from '../../platform/send-request.js'
import { timeLimit } from '../../platform/time.js'
import type { PayeeOptions } from '../payments/payment-rails.js'
import { normalizeTransaction, type Settlement } from './settlements.js'

export type Chain = { readonly settlements: ChainSettlements; readonly payee: string | undefined }

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
      isSolana
        ? { settlements: createSolanaSettlements(rpc), payee: payToSolana }
        : { settlements: createEvmSettlements(rpc), payee: payTo },
    ]
  })
  return new Map(chains)
}

/** The movements to look for in a transaction. */
type SettlementQuery = {
  readonly transaction: string
  readonly asset: string
  readonly payee: string | undefined
}

/**
 * The movements of an asset in a transaction, to the payee where one is known. Undefined where the
 * chain has no such transaction, or it failed. Rejects with a JsonRpcError.
 */
type ChainSettlements = (asked: SettlementQuery) => Promise<readonly Settlement[] | undefined>

type Json = Readonly<Record<string, unknown>>

/** Of `Transfer(address,address,uint256)` (ERC-20). */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

function createEvmSettlements(rpc: JsonRpc): ChainSettlements {
  return async ({ transaction, asset, payee }) => {
    const receipt = await rpc('eth_getTransactionReceipt', [transaction])
    if (!isRecord(receipt) || receipt['status'] !== '0x1') return undefined
    return filterRecords(receipt['logs']).flatMap(({ address, topics, data }) => {
      const [topic, from, to] = Array.isArray(topics) ? topics.map(String) : []
      const isTransfer =
        normalizeTransaction(String(address)) === normalizeTransaction(asset) &&
        topic === transferTopic &&
        from !== undefined &&
        to !== undefined
      if (
        !isTransfer ||
        (payee !== undefined && parseTopicAddress(to) !== normalizeTransaction(payee))
      )
        return []
      const amount = String(data)
      return /^0x[\da-f]{1,64}$/i.test(amount)
        ? [{ transaction, payer: parseTopicAddress(from), amount: BigInt(amount) }]
        : []
    })
  }
}

/** The last 20 bytes of a topic. */
function parseTopicAddress(topic: string): string {
  return normalizeTransaction(`0x${topic.slice(-40)}`)
}

/** By the balances of tokens: what each owner lost, where the payee got something. */
function createSolanaSettlements(rpc: JsonRpc): ChainSettlements {
  return async ({ transaction, asset, payee }) => {
    const params = {
      encoding: 'jsonParsed',
      commitment: 'finalized',
      maxSupportedTransactionVersion: 0,
    }
    const response = await rpc('getTransaction', [transaction, params])
    const meta = isRecord(response) ? response['meta'] : undefined
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
    return [...changes]
      .filter(([, change]) => change < 0n)
      .map(([payer, change]) => ({ transaction, payer, amount: -change }))
  }
}

function filterRecords(list: unknown): readonly Json[] {
  return Array.isArray(list) ? list.filter(isRecord) : []
}

export type JsonRpcOptions = {
  /** It may contain a key, so messages never quote it. */
  readonly url: string
  readonly fetch?: typeof globalThis.fetch
}

/** A request to a node that failed. The message does not contain its URL. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError'
}

/** Rejects with a JsonRpcError. */
type JsonRpc = (method: string, params: readonly unknown[]) => Promise<unknown>

const timeoutMs = 10_000
const maxBytes = 4 * 1024 * 1024

/** Calls a node of a chain (JSON-RPC 2.0 over HTTP). Does not follow redirects. */
function createJsonRpc({ url, fetch = sendRequest }: JsonRpcOptions): JsonRpc {
  return async (method, params) => {
    const response = await callRpc(method, params).catch(() => undefined)
    if (isRecord(response) && 'result' in response) return response['result']
    const code =
      isRecord(response) && isRecord(response['error'])
        ? String(response['error']['code'])
        : 'no response'
    throw new JsonRpcError(`${method}: ${code}`)
  }

  async function callRpc(method: string, params: readonly unknown[]): Promise<unknown> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeLimit(timeoutMs)),
    })
    return JSON.parse(new TextDecoder().decode(await readBounded(response.body, maxBytes)))
  }
}
