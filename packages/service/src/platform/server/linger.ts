import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { timeLimit } from '../time-limit.js'

const lingerBytes = 128 * 1024 * 1024

/**
 * Delivers the response to a request whose body was not read to its end. To close a connection with
 * unread bytes resets it, and the client then loses the response (RFC 9112, section 9.6). So this
 * side closes first, and discards the rest of the body for at most 30 s and 128 MiB.
 */
export function lingerOnClose(socket: Socket, requestOf: () => IncomingMessage | undefined): void {
  const close = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    const incoming = requestOf()
    if (incoming === undefined || incoming.complete || socket.destroyed || socket.writableEnded) return close()
    const end = () => void socket.destroy()
    const timer = setTimeout(end, timeLimit(30_000))
    socket.once('close', () => clearTimeout(timer))
    socket.once('end', end)
    let left = lingerBytes
    // a former reader of the body would pause it
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
