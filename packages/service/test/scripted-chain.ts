/** Transactions of chains, and a `fetch` that answers for their nodes as JSON-RPC does. */
export type ScriptedChain = {
  readonly fetch: typeof globalThis.fetch
  readonly evm: (
    transaction: string,
    transfers: readonly Transfer[],
    status?: '0x0' | '0x1',
  ) => void
  readonly solana: (transaction: string, transfer: Transfer, failed?: boolean) => void
  /** From now on the node answers no question. */
  readonly goAway: (isAway: boolean) => void
  readonly asked: () => number
}

export type Transfer = {
  readonly asset: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

const topic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const toWord = (address: string) => `0x${'0'.repeat(24)}${address.slice(2).toLowerCase()}`

export function scriptChain(): ScriptedChain {
  const results = new Map<string, unknown>()
  let away = false
  let asked = 0
  return {
    evm: (transaction, transfers, status = '0x1') => {
      const logs = transfers.map(({ asset, from, to, amount }) => ({
        address: asset.toLowerCase(),
        topics: [topic, toWord(from), toWord(to)],
        data: `0x${amount.toString(16).padStart(64, '0')}`,
      }))
      results.set(transaction, {
        status,
        logs: [...logs, { address: '0x01', topics: ['0x02'], data: '0x' }],
      })
    },
    solana: (transaction, { asset, from, to, amount }, failed = false) => {
      const balance = (owner: string, units: bigint) => ({
        mint: asset,
        owner,
        uiTokenAmount: { amount: String(units) },
      })
      results.set(transaction, {
        meta: {
          err: failed ? { InstructionError: [0, 'Custom'] } : null,
          preTokenBalances: [balance(from, amount + 7n)],
          postTokenBalances: [balance(from, 7n), balance(to, amount)],
        },
      })
    },
    goAway: (isAway) => void (away = isAway),
    asked: () => asked,
    fetch: async (_url, init) => {
      asked++
      if (away)
        return Response.json(
          { jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'https://key@node: limit' } },
          { status: 429 },
        )
      const { params } = JSON.parse(typeof init?.body === 'string' ? init.body : '') as {
        readonly params: readonly [string]
      }
      return Response.json({ jsonrpc: '2.0', id: 1, result: results.get(params[0]) ?? null })
    },
  }
}
