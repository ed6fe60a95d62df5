import createFetchClient, { type Client, type ClientOptions } from 'openapi-fetch'
import type { Call, OperationFacts, Send } from './call.js'

/**
 * openapi-fetch's GET, POST and so on, typed by path, over our send. openapi-fetch is given a request that only keeps what it is
 * told: no platform Request is built or cloned, and the caller's own signal reaches the send.
 */
export function createPathClient<Paths extends object>(
  baseUrl: string,
  send: Send,
  operations: Readonly<Record<string, OperationFacts>>,
): Client<Paths> {
  const client = createFetchClient<Paths>({
    baseUrl,
    Request: PlainRequest as unknown as NonNullable<ClientOptions['Request']>,
    fetch: (request) => send(callOf(request as unknown as PlainRequest)),
  })
  const byPath = new Map(Object.values(operations).map((operation) => [`${operation.method} ${operation.path}`, operation]))
  for (const method of methods) {
    const plain = client[method] as (path: string, init?: object) => unknown
    const withOperation = (path: string, init?: object) => plain(path, { ...init, operation: byPath.get(`${method} ${path}`) })
    Object.assign(client, { [method]: withOperation })
  }
  return client
}

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'] as const

type PlainInit = {
  readonly method?: string
  readonly headers?: Headers
  readonly body?: BodyInit | null
  readonly signal?: AbortSignal
  readonly operation?: OperationFacts
}

class PlainRequest {
  readonly method: string
  readonly headers: Headers
  readonly body: BodyInit | null
  readonly signal: AbortSignal | undefined
  readonly operation: OperationFacts | undefined

  constructor(
    readonly url: string,
    init: PlainInit,
  ) {
    this.method = init.method ?? 'GET'
    this.headers = init.headers ?? new Headers()
    this.body = init.body ?? null
    this.signal = init.signal
    this.operation = init.operation
  }
}

function callOf({ url, method, headers, body, signal, operation }: PlainRequest): Call {
  return { url, method, headers, body, ...(signal && { signal }), ...(operation && { operation }) }
}
