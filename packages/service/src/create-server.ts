import { createServer as createHttpServer, STATUS_CODES, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import type { Service } from './create-service.js'

/** Statuses of what is no HTTP request, by Node's name of the error. */
const statuses: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/**
 * An HTTP server in front of a service, not listening yet. What never becomes a request, because it is no HTTP or names no host, is
 * refused here, in JSON as well.
 */
export function createServer(fetch: Service['fetch']): Server {
  const listener = getRequestListener((request, env: HttpBindings | Http2Bindings) => fetch(request, infoOf(env)), {
    errorHandler: () =>
      new Response(bodyOf(400), { status: 400, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } }),
  })
  // a request without Host is refused by the listener, which can say why
  const server = createHttpServer({ requireHostHeader: false }, (incoming, outgoing) => void listener(incoming, outgoing))
  server.on('clientError', (error: Error, socket: Duplex) => refuse(socket, statuses['code' in error ? String(error.code) : ''] ?? 400))
  return server
}

function infoOf(env: HttpBindings | Http2Bindings): { readonly remoteAddress?: string } {
  const { remoteAddress } = env.incoming.socket
  return remoteAddress === undefined ? {} : { remoteAddress }
}

function refuse(socket: Duplex, status: number): void {
  // an answer that has begun cannot become another one
  const busy = '_httpMessage' in socket && socket._httpMessage !== null && socket._httpMessage !== undefined
  if (!socket.writable || busy) return void socket.destroy()
  const body = bodyOf(status)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function bodyOf(status: number): string {
  const error = {
    408: 'The request did not arrive in time.',
    431: 'The headers of the request are larger than 16 KiB together.',
  }[status]
  return JSON.stringify({ error: error ?? 'This is no HTTP request that can be answered: its request line, Host or framing is malformed.' })
}
