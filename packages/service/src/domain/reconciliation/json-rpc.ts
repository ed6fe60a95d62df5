import { readBounded } from '../../platform/bounded-body.js'
import { isRecord } from '../../platform/is-record.js'
import { timeLimit } from '../../platform/time-limit.js'

export type JsonRpcOptions = {
  /** It may contain a key, so no message quotes it. */
  readonly url: string
  readonly fetch?: typeof globalThis.fetch
}

/** A node that did not answer a question. The message has no URL. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError'
}

/** Rejects with a JsonRpcError. */
export type JsonRpc = (method: string, params: readonly unknown[]) => Promise<unknown>

const timeoutMs = 10_000
const maxBytes = 4 * 1024 * 1024

/** Asks a node of a chain (JSON-RPC 2.0 over HTTP). Follows no redirect. */
export function createJsonRpc({ url, fetch = globalThis.fetch }: JsonRpcOptions): JsonRpc {
  return async (method, params) => {
    const answer = await ask(method, params).catch(() => undefined)
    if (isRecord(answer) && 'result' in answer) return answer['result']
    const code = isRecord(answer) && isRecord(answer['error']) ? String(answer['error']['code']) : 'no answer'
    throw new JsonRpcError(`${method}: ${code}`)
  }

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
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
