import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Ends a server kindly: from the call of what it gives, takes no more connections, waits for the answers that are under way, for `patienceMs` at
 * most, and resolves when every connection is gone. Give it the server before it listens.
 */
export function closable(server: Server, patienceMs = 30_000): () => Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => void sockets.delete(socket))
  })
  return async () => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
    const sweep = () => {
      server.closeIdleConnections()
      // Node takes a connection for a busy one before it has said anything; clients open such ones in advance
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }
    sweep()
    // a connection that becomes idle later would be kept for its keep-alive time
    const sweeping = setInterval(sweep, 50)
    const impatience = setTimeout(() => server.closeAllConnections(), patienceMs)
    await closed
    clearInterval(sweeping)
    clearTimeout(impatience)
  }
}
