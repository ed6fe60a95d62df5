import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { Refusal } from '../errors.js'
import type { Terminal } from '../terminal.js'
import { corsHeaders, checkAccess, type Access, type Denial } from './access.js'
import { optional, protocolServers, type Serving } from './protocol-server.js'

export type HttpOptions = Access & {
  readonly host: string
  /** 0 selects a free one. */
  readonly port: number
}

/** A file of 25 MiB in base64, the largest that an operation accepts, and room for the rest. */
const maxRequestBodySize = 36 * 1024 * 1024

/**
 * Serves the Model Context Protocol at `/mcp` over Streamable HTTP until the user interrupts. Every
 * request is served by itself, so there are no sessions to run out of. Throws `Refusal` if it
 * cannot listen.
 */
export async function serveHttp(
  serving: Serving,
  options: HttpOptions,
  terminal: Pick<Terminal, 'err'>,
  signal: AbortSignal,
): Promise<void> {
  const { createMcpHandler } = await optional(() => import('@modelcontextprotocol/server'))
  const { toNodeHandler } = await optional(() => import('@modelcontextprotocol/node'))
  const onerror = (error: Error) => void terminal.err.write(`farebox mcp: ${error.message}\n`)
  const handler = createMcpHandler(await protocolServers(serving, signal), {
    onerror,
    maxRequestBodySize,
  })
  const reply = toNodeHandler(handler, { onerror, maxRequestBodySize })

  let running = 0
  const server = createServer((request, response) => {
    for (const [name, value] of corsHeaders(request.headers)) response.setHeader(name, value)
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
    throw new Refusal(
      'cannot_listen',
      `farebox mcp cannot listen on ${host}:${port}: ${why}. Give another port with --http, or 0 for a free one.`,
    )
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
