import type { CallInit } from '@farebox/middleware'
import type { paths } from '@farebox/types'
import type { Client, ClientOptions } from 'openapi-fetch'
import type { Call, OperationFacts, Send } from './generated/call.js'

/** openapi-fetch's `GET`, `POST` and so on, typed by path. */
export type PathClient = Client<paths> & {
  /** Calls a path with a method that is given as a value: what GET, POST and the others do. */
  readonly request: Client<paths>['request']
}

/**
 * The client of openapi-fetch over `send`. The first call loads the library. Each call carries the
 * facts of its operation, and middleware gets a plain `Call`: no platform Request is built or
 * cloned, and the caller's own signal reaches `send`.
 */
export function createPathClient(
  baseUrl: string,
  send: Send,
  operations: readonly OperationFacts[],
): PathClient {
  let loading: Promise<UntypedClient> | undefined
  const load = async (): Promise<UntypedClient> => (loading ??= create(baseUrl, send))
  const request = async (method: string, path: string, init?: object): Promise<unknown> => {
    const operation = operations.find(
      (one) => one.method === method.toUpperCase() && one.path === path,
    )
    return (await load()).request(method, path, { ...init, operation })
  }
  const byMethod = methods.map(
    (method) =>
      [method, async (path: string, init?: object) => request(method, path, init)] as const,
  )
  const configure = (['use', 'eject'] as const).map(
    (name) =>
      [
        name,
        (...middleware: never[]) => void load().then((client) => client[name](...middleware)),
      ] as const,
  )
  return { ...Object.fromEntries([...byMethod, ...configure]), request } as PathClient
}

/**
 * openapi-fetch's own types are computed from all paths, and the compiler would compare them whole.
 */
type UntypedClient = Pick<Client<never>, 'use' | 'eject'> & {
  request(method: string, path: string, init: object): unknown
}

async function create(baseUrl: string, send: Send): Promise<UntypedClient> {
  const { default: createFetchClient } = await import('openapi-fetch')
  return createFetchClient({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    Request: PlainRequest as unknown as NonNullable<ClientOptions['Request']>,
    fetch: (request) => send(toCall(request as unknown as PlainRequest)),
  }) as unknown as UntypedClient
}

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'] as const

type PlainInit = CallInit & {
  readonly method?: string
  readonly headers?: Headers
  readonly body?: BodyInit | null
  readonly signal?: AbortSignal | null
  readonly operation?: OperationFacts | undefined
}

/** Keeps its arguments. Fields that a `Call` does not name go to fetch's init unchanged. */
class PlainRequest {
  readonly method: string
  readonly headers: Headers
  readonly body: BodyInit | null
  readonly signal: AbortSignal | null
  readonly operation: OperationFacts | undefined
  readonly init: CallInit

  constructor(
    readonly url: string,
    {
      method = 'GET',
      headers = new Headers(),
      body = null,
      signal = null,
      operation,
      ...init
    }: PlainInit,
  ) {
    this.method = method
    this.headers = headers
    this.body = body
    this.signal = signal
    this.operation = operation
    const { redirect, ...others } = init
    // openapi-fetch sets `follow` where the caller sets nothing. That is fetch's default, and
    // middleware may set another.
    this.init = redirect === undefined || redirect === 'follow' ? others : init
  }
}

function toCall({ url, method, headers, body, signal, operation, init }: PlainRequest): Call {
  return {
    url,
    method,
    headers,
    body,
    init,
    ...(signal && { signal }),
    ...(operation && { operation }),
  }
}
