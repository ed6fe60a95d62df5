import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
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
 * `patienceMs` for running responses, and resolves once all connections are closed. Call it before
 * `listen`.
 */
export function closable(server: Server, patienceMs = timeLimit(30_000)): () => Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => void sockets.delete(socket))
  })
  return async () => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
    const sweep = () => {
      server.closeIdleConnections()
      // Node counts a connection without any bytes as busy; clients open such ones in advance
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }
    sweep()
    // connections become idle later too
    const sweeping = setInterval(sweep, 50)
    const impatience = setTimeout(() => server.closeAllConnections(), patienceMs)
    await closed
    clearInterval(sweeping)
    clearTimeout(impatience)
  }
}

/**
 * Returns a function after whose call each response says `Connection: close`, also to the requests
 * that have come before: a load balancer then sends no more requests on a connection that is about
 * to close. The server keeps accepting connections. Call it before `listen`.
 */
export function drainable(server: Server): () => void {
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
