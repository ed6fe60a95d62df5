import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readErrorCode } from '../unknown-value.js'
import { timeLimit } from '../time.js'

/** `flags` is what the options for it begin with. */
type Place = { readonly host: string; readonly port: number; readonly flags?: string }

/** Listens and returns the port: a free one for port 0. Rejects with a ListenError. */
export function listen(server: Server, { host, port, flags = '--' }: Place): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new ListenError(error, { host, port, flags })))
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** The address or the port is not available. */
export class ListenError extends Error {
  override readonly name = 'ListenError'

  constructor(cause: Error, { host, port, flags }: Required<Place>) {
    const taken = readErrorCode(cause) === 'EADDRINUSE'
    super(
      taken
        ? `Port ${port} of ${host} is in use. End what listens there, or give another port with ${flags}port (0 picks a free one).`
        : `Cannot listen at ${host}:${port} (${cause.message}). Give another address with ${flags}host, or another port with ${flags}port.`,
      { cause },
    )
  }
}

/**
 * Returns a function that stops a server: it accepts no more connections, waits at most
 * `patienceMs` for running responses, and resolves once all connections are closed. For `settleMs`
 * it keeps connections without a request, since a load balancer may have just sent one on them:
 * requests that arrive are served. Call it before `listen`.
 */
export function createGracefulClose(
  server: Server,
  patienceMs = timeLimit(30_000),
): (settleMs?: number) => Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => void sockets.delete(socket))
  })
  return async (settleMs = 0) => {
    if (settleMs > 0) await waitForQuietMoment()
    const closed = once(server, 'close')
    // the close of an HTTP server also closes idle connections
    if (settleMs > 0) NetServer.prototype.close.call(server)
    else server.close()
    const sweep = () => {
      server.closeIdleConnections()
      // Node counts a connection without any bytes as busy; clients open such ones in advance
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }
    const begin = performance.now()
    if (settleMs === 0) sweep()
    // connections become idle later too
    const sweeping = setInterval(() => performance.now() - begin >= settleMs && sweep(), 50)
    const impatience = setTimeout(() => server.closeAllConnections(), settleMs + patienceMs)
    await closed
    clearInterval(sweeping)
    clearTimeout(impatience)
  }
}

/**
 * Resolves just after Node has accepted connections, in a turn of the event loop with little else,
 * or after a second. A listener that closes resets those that only the kernel has accepted, and the
 * client then cannot tell whether its request was read.
 */
async function waitForQuietMoment(): Promise<void> {
  const end = performance.now() + 1_000
  let begin: number
  do {
    begin = performance.now()
    await nextTurn()
  } while (performance.now() - begin > 0.1 && performance.now() < end)
}

/**
 * Returns a function after whose call each response says `Connection: close`, also to the requests
 * that have come before: a load balancer then sends no more requests on a connection that is about
 * to close. The server keeps accepting connections. Call it before `listen`.
 */
export function createDrain(server: Server): () => void {
  const open = new Set<ServerResponse>()
  let draining = false
  // before the listener that responds
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (draining) response.setHeader('connection', 'close')
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  return () => {
    draining = true
    for (const response of open)
      if (!response.headersSent) response.setHeader('connection', 'close')
  }
}
