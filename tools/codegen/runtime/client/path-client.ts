import type { Client, ClientOptions, Middleware } from 'openapi-fetch'
import type { Call, CallInit, OperationFacts, Send } from './call.js'
import { operationOf } from './path-operation.js'

/**
 * openapi-fetch's GET, POST and so on, typed by path, over our send. openapi-fetch is loaded with
 * the first call by path. It gets a plain object in place of a Request, so that the platform builds
 * or clones no Request and the caller's own signal reaches the send. A call that the contract does
 * not have is refused before that.
 */
export function createPathClient<Paths extends object>(baseUrl: string, send: Send, operations: readonly OperationFacts[]): Client<Paths> {
  const middleware = new Set<Middleware>()
  let loaded: Promise<Untyped> | undefined
  const load = async (): Promise<Untyped> => {
    const { default: createFetchClient } = await import('openapi-fetch')
    const client = createFetchClient({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      Request: PlainRequest as unknown as NonNullable<ClientOptions['Request']>,
      fetch: (request) => send(callOf(request as unknown as PlainRequest)),
    })
    client.use(...middleware)
    return client as unknown as Untyped
  }
  const request = async (method: string, path: string, init?: object): Promise<unknown> => {
    const operation = operationOf(operations, method.toUpperCase(), path, init)
    const client = await (loaded ??= load())
    return client.request(method, path, { ...init, operation })
  }
  const shorthands = methods.map((method) => [method, async (path: string, init?: object) => request(method, path, init)] as const)
  const use = (...added: Middleware[]) => {
    for (const one of added) middleware.add(one)
    void loaded?.then((client) => client.use(...added))
  }
  const eject = (...removed: Middleware[]) => {
    for (const one of removed) middleware.delete(one)
    void loaded?.then((client) => client.eject(...removed))
  }
  return { ...Object.fromEntries(shorthands), request, use, eject } as unknown as Client<Paths>
}

/**
 * The part of openapi-fetch's client that is used here. Its own types are computed from all paths,
 * and the compiler would compare them whole.
 */
type Untyped = Pick<Client<never>, 'use' | 'eject'> & { request(method: string, path: string, init: object): unknown }

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'] as const

type PlainInit = CallInit & {
  readonly method?: string
  readonly headers?: Headers
  readonly body?: BodyInit | null
  readonly signal?: AbortSignal | null
  readonly operation?: OperationFacts | undefined
}

/** Every other field goes into fetch's init unchanged. */
class PlainRequest {
  readonly method: string
  readonly headers: Headers
  readonly body: BodyInit | null
  readonly signal: AbortSignal | null
  readonly operation: OperationFacts | undefined
  readonly init: CallInit

  constructor(
    readonly url: string,
    { method = 'GET', headers = new Headers(), body = null, signal = null, operation, ...init }: PlainInit,
  ) {
    this.method = method
    this.headers = headers
    this.body = body
    this.signal = signal
    this.operation = operation
    const { redirect, ...others } = init
    // openapi-fetch sets `follow` if the caller sets nothing; that is fetch's default, and
    // middleware may set another
    this.init = redirect === undefined || redirect === 'follow' ? others : init
  }
}

function callOf({ url, method, headers, body, signal, operation, init }: PlainRequest): Call {
  return { url, method, headers, body, init, ...(signal && { signal }), ...(operation && { operation }) }
}
