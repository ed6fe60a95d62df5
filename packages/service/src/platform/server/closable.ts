import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { timeLimit } from '../time-limit.js'

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
