import { isRecord } from '@farebox/middleware'
import type { EthCall } from './contract-verifier.js'

export type JsonRpcOptions = {
  /** The URL of a node for each chain id. It may contain a key; no error reveals it. */
  readonly urls: Readonly<Record<number, string>>
  readonly fetch?: typeof globalThis.fetch
  /** How long a node may take, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number
}

/**
 * An `EthCall` over JSON-RPC, for `contractVerifier`. Rejects for a chain without a node, after the
 * timeout, and for any response other than a result in hex. The error contains only the code of the
 * node's error.
 */
export function jsonRpcEthCall({
  urls,
  fetch = globalThis.fetch,
  timeoutMs = 5_000,
}: JsonRpcOptions): EthCall {
  return async (chainId, code) => {
    const url = Object.hasOwn(urls, chainId) ? urls[chainId] : undefined
    if (url === undefined)
      throw new Error(`Contract check: no node for chain ${chainId}; add its URL to "urls"`)
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ data: code }, 'latest'],
    })
    const response = await send(fetch, url, body, timeoutMs).catch((error: unknown) => {
      throw new Error(
        `Contract check: the node of chain ${chainId} did not respond (${errorName(error)})`,
      )
    })
    const result = isRecord(response) ? response['result'] : undefined
    if (typeof result === 'string' && /^0x[0-9a-fA-F]*$/.test(result)) return result
    throw new Error(
      `Contract check: the node of chain ${chainId} responded without a result${formatErrorCode(response)}`,
    )
  }
}

async function send(
  fetch: typeof globalThis.fetch,
  url: string,
  body: string,
  timeoutMs: number,
): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  return response.json()
}

function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

function formatErrorCode(response: unknown): string {
  const error = isRecord(response) ? response['error'] : undefined
  return isRecord(error) && typeof error['code'] === 'number' ? `, error ${error['code']}` : ''
}
