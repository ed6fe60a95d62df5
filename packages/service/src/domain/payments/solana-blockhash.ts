import { isSolanaAddress } from './is-solana-address.js'

export type SolanaRpc = {
  /** JSON-RPC of a node. It may hold a key, and is in no message. */
  readonly url: string
  readonly fetch?: typeof globalThis.fetch
  /** A signal that aborts after so many milliseconds. */
  readonly timeout?: (milliseconds: number) => AbortSignal
}

export type SolanaBlockhashOptions = SolanaRpc & {
  readonly now: () => number
  /** Told when the node stops answering, once until it answers again. */
  readonly onTrouble: (trouble: Error) => void
}

/** A hash can be used for 60 to 90 s; what is given away is never much older than this. Nor is a node that fails asked more often. In milliseconds. */
const keptMs = 5_000
/** A caller waits for it. */
const timeoutMs = 2_000

/** The hash of a recent block (`getLatestBlockhash`), for transactions that are to be signed now; undefined while the node gives none. */
export function createSolanaBlockhash({
  url,
  fetch = globalThis.fetch,
  timeout = (milliseconds) => AbortSignal.timeout(milliseconds),
  now,
  onTrouble,
}: SolanaBlockhashOptions): () => Promise<string | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getLatestBlockhash', params: [{ commitment: 'confirmed' }] })
  let found: Promise<string | undefined> | undefined
  let askedAt = 0
  let isWell = true

  async function ask(): Promise<string | undefined> {
    const blockhash = await latest().catch(() => undefined)
    if (blockhash === undefined && isWell) onTrouble(new Error('Solana RPC: getLatestBlockhash gave no hash; offers go out without one'))
    isWell = blockhash !== undefined
    return blockhash
  }

  async function latest(): Promise<string | undefined> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: timeout(timeoutMs) })
    const { result } = (await response.json()) as { readonly result?: { readonly value?: { readonly blockhash?: unknown } } }
    const blockhash = result?.value?.blockhash
    return response.ok && typeof blockhash === 'string' && isSolanaAddress(blockhash) ? blockhash : undefined
  }

  return () => {
    const time = now()
    if (found === undefined || time - askedAt >= keptMs || time < askedAt) {
      askedAt = time
      found = ask()
    }
    return found
  }
}
