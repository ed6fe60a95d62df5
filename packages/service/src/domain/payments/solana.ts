import { base58 } from '@scure/base'
import { createTracedFetch } from '../../platform/telemetry/spans.js'
import { timeLimit } from '../../platform/time.js'

/** Whether a string is the base58 of 32 bytes: an address or a blockhash. */
export function isSolanaAddress(text: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && base58.decode(text).length === 32
}

export type SolanaRpc = {
  /** JSON-RPC of a node. It may contain a key, so messages never quote it. */
  readonly url: string
  readonly fetch?: typeof globalThis.fetch
  readonly timeout?: (milliseconds: number) => AbortSignal
}

type SolanaBlockhashOptions = SolanaRpc & {
  readonly now: () => number
  /** Called once when the node stops responding. */
  readonly onTrouble: (trouble: Error) => void
}

/**
 * The lifetime of a hash or of a failure, in milliseconds. A chain accepts a hash for 60 to 90 s.
 */
const keptMs = 5_000
/** Short, since a caller waits for it. */
const timeoutMs = 2_000

/**
 * A recent blockhash (`getLatestBlockhash`) for new transactions. Undefined while the node fails.
 */
export function createSolanaBlockhash({
  url,
  fetch,
  timeout = (milliseconds) => AbortSignal.timeout(milliseconds),
  now,
  onTrouble,
}: SolanaBlockhashOptions): () => Promise<string | undefined> {
  const send = createTracedFetch(fetch)
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'getLatestBlockhash',
    params: [{ commitment: 'confirmed' }],
  })
  let found: Promise<string | undefined> | undefined
  let askedAt = 0
  let isWell = true

  async function fetchBlockhash(): Promise<string | undefined> {
    const blockhash = await latest().catch(() => undefined)
    if (blockhash === undefined && isWell)
      onTrouble(new Error('Solana RPC: getLatestBlockhash gave no hash; offers go out without one'))
    isWell = blockhash !== undefined
    return blockhash
  }

  async function latest(): Promise<string | undefined> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const response = await send(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: timeout(timeLimit(timeoutMs)),
    })
    const { result } = (await response.json()) as {
      readonly result?: { readonly value?: { readonly blockhash?: unknown } }
    }
    const blockhash = result?.value?.blockhash
    return response.ok && typeof blockhash === 'string' && isSolanaAddress(blockhash)
      ? blockhash
      : undefined
  }

  return () => {
    const time = now()
    if (found === undefined || time - askedAt >= keptMs || time < askedAt) {
      askedAt = time
      found = fetchBlockhash()
    }
    return found
  }
}

const mark = new TextEncoder().encode('farebox local block hash')

/**
 * Stands for a blockhash in offers without a chain: a mark and the time, so that every process
 * knows its age.
 */
export function createLocalBlockhash(now: number): string {
  const bytes = new Uint8Array(32)
  bytes.set(mark)
  new DataView(bytes.buffer).setBigUint64(mark.length, BigInt(Math.floor(now)))
  return base58.encode(bytes)
}

/** In milliseconds. Undefined for other hashes. */
export function readLocalBlockhashAge(blockhash: string, now: number): number | undefined {
  const bytes = base58.decode(blockhash)
  if (bytes.length !== 32 || mark.some((byte, at) => bytes[at] !== byte)) return undefined
  return now - Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(mark.length))
}
