import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

const lingerMs = 5_000
const lingerBytes = 128 * 1024 * 1024

/**
 * Closes a connection so that the answer to a request that was not read to its end arrives. A connection that is closed with bytes unread is
 * reset, and with that the client's system throws the answer away (RFC 9112, section 9.6). So our side is closed first, and what the client
 * still sends is thrown away, for 5 s and 128 MiB at most.
 */
export function lingerOnClose(socket: Socket, requestOf: () => IncomingMessage | undefined): void {
  const close = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    const incoming = requestOf()
    if (incoming === undefined || incoming.complete || socket.destroyed || socket.writableEnded) return close()
    const end = () => void socket.destroy()
    const timer = setTimeout(end, lingerMs)
    socket.once('close', () => clearTimeout(timer))
    socket.once('end', end)
    let left = lingerBytes
    // whatever was to read the body has given it up, and would stop its flow
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
