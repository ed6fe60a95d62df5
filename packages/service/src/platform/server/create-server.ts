import {
  createServer as createHttpServer,
  STATUS_CODES,
  ServerResponse,
  type IncomingMessage,
  type Server,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  getRequestListener,
  RequestError,
  type Http2Bindings,
  type HttpBindings,
} from '@hono/node-server'
import { readErrorCode } from '../unknown-value.js'
import { timeLimit } from '../time.js'
import { createClientAddress, type ClientAddress } from './client-address.js'

type ConnectionInfo = { readonly remoteAddress?: string; readonly breakOff: () => void }

/**
 * Never rejects. A body must not fail, since the listener writes its error to stderr: it calls
 * `breakOff` instead.
 */
type Fetch = (request: Request, info: ConnectionInfo) => Promise<Response>

/** Limits of a connection. Times are in milliseconds. */
export type ServerLimits = {
  /** From the first byte of a request to the end of its headers. Default: 10,000. */
  readonly headersMs?: number
  /** From the first byte of a request to the last of its body. Default: 120,000. */
  readonly requestMs?: number
  /** Without traffic in either direction. Default: 120,000. */
  readonly idleMs?: number
  /** Between two requests. Default: 30,000. */
  readonly keepAliveMs?: number
  /** Connections at a time. Further ones are closed. Default: 4,096. */
  readonly connections?: number
  /**
   * Connections of one address at a time, idle ones included; IPv6 counts by its /64. Further ones
   * are closed. Trusted proxies have no such limit. Default: 256.
   */
  readonly connectionsPerAddress?: number
  /** Default: no proxy is trusted. */
  readonly clientAddress?: ClientAddress
}

/** All header lines of a request together. */
const maxHeaderBytes = 16 * 1024

/** Statuses by Node's error code, for input that is not an HTTP request. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/**
 * Creates an HTTP server that does not listen yet. It rejects malformed, oversized and slow
 * requests itself, also in JSON.
 */
export function createServer(fetch: Fetch, limits: ServerLimits = {}): Server {
  const {
    headersMs = timeLimit(10_000),
    requestMs = timeLimit(120_000),
    idleMs = timeLimit(120_000),
  } = limits
  const {
    keepAliveMs = 30_000,
    connections = 4_096,
    connectionsPerAddress = 256,
    clientAddress = createClientAddress(),
  } = limits
  const listener = getRequestListener(
    (request, env: HttpBindings | Http2Bindings) => fetch(request, readInfo(env)),
    {
      errorHandler: (error) => {
        const status = error instanceof RequestError ? 400 : 500
        return new Response(createErrorBody(status), {
          status,
          headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
        })
      },
      // the listener would cut off an unread body after 500 ms, and the client would lose the
      // response
      autoCleanupIncoming: false,
    },
  )
  const responses = new WeakMap<Duplex, ServerResponse>()
  const requests = new WeakMap<Duplex, IncomingMessage>()
  const options = {
    ServerResponse: LateHead,
    // the listener rejects a request without Host, with a reason
    requireHostHeader: false,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(1_000, headersMs),
  }
  const server = createHttpServer(options, (incoming, outgoing) => {
    responses.set(incoming.socket, outgoing)
    requests.set(incoming.socket, incoming)
    void listener(incoming, outgoing)
  })
  const admits = createConnectionCounter(connectionsPerAddress, clientAddress)
  server.on('connection', (socket: Socket) => {
    if (admits(socket)) lingerOnClose(socket, () => requests.get(socket))
    else socket.destroy()
  })
  server.maxConnections = connections
  server.setTimeout(idleMs)
  server.on('clientError', (error: Error, socket: Duplex) => {
    const response = responses.get(socket)
    // a response that has begun cannot be replaced
    if (!socket.writable || (response?.headersSent === true && !response.writableFinished))
      socket.destroy()
    else rejectConnection(socket, statuses[readErrorCode(error) ?? ''] ?? 400)
  })
  return server
}

/**
 * The listener sends the head of a stream before its first part. One that is there is sent with it,
 * in one packet.
 */
class LateHead extends ServerResponse {
  override flushHeaders(): void {
    setImmediate(() => {
      if (!this.writableEnded && !this.destroyed) super.flushHeaders()
    })
  }
}

function readInfo({ incoming, outgoing }: HttpBindings | Http2Bindings): ConnectionInfo {
  const { remoteAddress } = incoming.socket
  const breakOff = () => void outgoing.destroy()
  return remoteAddress === undefined ? { breakOff } : { remoteAddress, breakOff }
}

function rejectConnection(socket: Duplex, status: number): void {
  const body = createErrorBody(status)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function createErrorBody(status: number): string {
  const error = {
    408: 'The request did not arrive in time.',
    500: 'An unknown error occurred.',
    431: 'The headers of the request are larger than 16 KiB together.',
  }[status]
  return JSON.stringify({
    error:
      error ?? 'This is not a valid HTTP request: its request line, Host or framing is malformed.',
  })
}

type Connection = Pick<Socket, 'remoteAddress' | 'once'>

/**
 * Returns a function that counts a connection until it closes. False for one over the limit of its
 * address.
 */
export function createConnectionCounter(
  limit: number,
  { ofPeer, isProxy }: ClientAddress,
): (socket: Connection) => boolean {
  const counts = new Map<string, number>()
  return (socket) => {
    const { remoteAddress } = socket
    if (isProxy(remoteAddress)) return true
    const address = ofPeer(remoteAddress)
    const count = (counts.get(address) ?? 0) + 1
    if (count > limit) return false
    counts.set(address, count)
    socket.once('close', () => {
      const left = (counts.get(address) ?? 0) - 1
      if (left > 0) counts.set(address, left)
      else counts.delete(address)
    })
    return true
  }
}

const lingerBytes = 128 * 1024 * 1024

/**
 * Delivers the response to a request whose body was not read to its end. To close a connection with
 * unread bytes resets it, and the client then loses the response (RFC 9112, section 9.6). So this
 * side closes first, and discards the rest of the body for at most 30 s and 128 MiB.
 */
function lingerOnClose(socket: Socket, findRequest: () => IncomingMessage | undefined): void {
  const close = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    const incoming = findRequest()
    if (incoming === undefined || incoming.complete || socket.destroyed || socket.writableEnded)
      return close()
    const end = () => void socket.destroy()
    const timer = setTimeout(end, timeLimit(30_000))
    socket.once('close', () => clearTimeout(timer))
    socket.once('end', end)
    let left = lingerBytes
    // a previous reader of the body would pause it
    incoming.removeAllListeners('data')
    incoming.on('data', (chunk: Uint8Array) => {
      left -= chunk.byteLength
      if (left < 0) end()
    })
    incoming.once('end', end)
    incoming.resume()
    socket.end()
  }
}
