import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { CommandError } from '../command.js'
import type { Terminal } from '../io/terminal.js'
import { loadOptional, loadServerFactory, type Serving } from './protocol-server.js'

/**
 * Serves the Model Context Protocol on stdin and stdout until the client closes them, or the user
 * interrupts. What was requested before the end of stdin is completed.
 */
export async function serveStdio(
  serving: Serving,
  terminal: Pick<Terminal, 'in' | 'out' | 'err'>,
  signal: AbortSignal,
): Promise<void> {
  const { serveStdio: serve, StdioServerTransport } = await loadOptional(
    () => import('@modelcontextprotocol/server/stdio'),
  )
  const requests = new Set<Promise<unknown>>()
  const track = <T>(request: Promise<T>): Promise<T> => {
    requests.add(request)
    void request.catch(() => undefined).finally(() => requests.delete(request))
    return request
  }
  // the transport closes when its input ends, and drops the responses that are not yet sent
  const input = new PassThrough()
  terminal.in.pipe(input, { end: false })
  const connection = serve(await loadServerFactory(trackRequests(serving, track), signal), {
    transport: new StdioServerTransport(input, terminal.out),
    onerror: (error) => void terminal.err.write(`farebox mcp: ${error.message}\n`),
  })
  await finished(terminal.in, { writable: false, signal }).catch(() => undefined)
  do {
    // a message that has arrived becomes a request, and a result a response, within a turn
    await setImmediate()
    await Promise.allSettled(requests)
    await setImmediate()
  } while (requests.size > 0 || input.readableLength > 0)
  await connection.close()
}

function trackRequests(serving: Serving, track: <T>(request: Promise<T>) => Promise<T>): Serving {
  return {
    ...serving,
    call: (...args) => track(serving.call(...args)),
    resources: serving.resources.map((resource) => ({
      ...resource,
      read: (signal) => track(resource.read(signal)),
    })),
  }
}

export type HttpOptions = Access & {
  readonly host: string
  /** 0 selects a free one. */
  readonly port: number
}

/** A file of 25 MiB in base64, the largest that an operation accepts, and room for the rest. */
const maxRequestBodySize = 36 * 1024 * 1024

/**
 * Serves the Model Context Protocol at `/mcp` over Streamable HTTP until the user interrupts. Every
 * request is served by itself, so there are no sessions to run out of. Throws `CommandError` if it
 * cannot listen.
 */
export async function serveHttp(
  serving: Serving,
  options: HttpOptions,
  terminal: Pick<Terminal, 'err'>,
  signal: AbortSignal,
): Promise<void> {
  const { createMcpHandler } = await loadOptional(() => import('@modelcontextprotocol/server'))
  const { toNodeHandler } = await loadOptional(() => import('@modelcontextprotocol/node'))
  const onerror = (error: Error) => void terminal.err.write(`farebox mcp: ${error.message}\n`)
  const handler = createMcpHandler(await loadServerFactory(serving, signal), {
    onerror,
    maxRequestBodySize,
  })
  const reply = toNodeHandler(handler, { onerror, maxRequestBodySize })

  let running = 0
  const server = createServer((request, response) => {
    for (const [name, value] of createCorsHeaders(request.headers)) response.setHeader(name, value)
    const denial = checkAccess(request, running, options)
    if (denial !== undefined) return deny(response, denial)
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    running += 1
    response.once('close', () => (running -= 1))
    // the library's type of a request has no undefined members
    void reply(request as Parameters<typeof reply>[0], response)
  })
  const port = await listen(server, options)
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  terminal.err.write(`farebox mcp: listening on http://${host}:${port}/mcp\n`)
  if (!signal.aborted) await once(signal, 'abort')
  await handler.close()
  server.close()
  server.closeAllConnections()
}

function deny(response: ServerResponse, { status, headers, message }: Denial): void {
  // the body of the request is not read, so the connection cannot be used again
  response.writeHead(status, {
    'content-type': 'application/json',
    connection: 'close',
    ...headers,
  })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }))
}

async function listen(server: Server, { host, port }: HttpOptions): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EADDRINUSE' ? 'the port is in use' : error.message
    throw new CommandError(
      'cannot_listen',
      `farebox mcp cannot listen on ${host}:${port}: ${why}. Use another port with --http, or 0 for a free one.`,
    )
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

/** The response to a rejected request. */
type Denial = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly message: string
}

type Access = {
  readonly token: string
  /** Origins of pages that may call, such as `https://inspector.example`. */
  readonly origins: readonly string[]
  /** Requests that may run at a time. */
  readonly maxRequests: number
}

/** The facts of a request before its body is read. */
type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/**
 * Decides about a request by its headers only, before its body is read. The token is compared in
 * constant time. A page of another origin is rejected even with the token (Model Context Protocol,
 * transports, security warning).
 */
function checkAccess(request: Head, running: number, access: Access): Denial | undefined {
  const { method, url, headers } = request
  const { origin, authorization } = headers
  if (origin !== undefined && !access.origins.includes(origin)) {
    return {
      status: 403,
      message: `The origin ${JSON.stringify(origin)} may not call this server. It can be started with --allow-origin.`,
    }
  }
  if (url?.split('?', 1)[0] !== '/mcp')
    return { status: 404, message: 'The protocol is served at /mcp.' }
  // a preflight carries no credential
  if (method === 'OPTIONS' && origin !== undefined) return undefined
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  if (token === undefined || !timingSafeEqual(digest(token), digest(access.token))) {
    return {
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="farebox mcp"' },
      message: 'Expected the header Authorization: Bearer TOKEN, with the token of this server.',
    }
  }
  if (running >= access.maxRequests) {
    return {
      status: 503,
      headers: { 'retry-after': '1' },
      message: `${access.maxRequests} requests are running, which is the limit. Try again later.`,
    }
  }
  return undefined
}

/** The headers that let a page of an allowed origin read the response (Fetch standard, CORS). */
function createCorsHeaders({ origin }: Head['headers']): readonly (readonly [string, string])[] {
  if (origin === undefined) return []
  return [
    ['access-control-allow-origin', origin],
    ['access-control-allow-methods', 'POST'],
    [
      'access-control-allow-headers',
      'authorization, content-type, mcp-protocol-version, mcp-method, mcp-name',
    ],
    ['vary', 'origin'],
  ]
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
