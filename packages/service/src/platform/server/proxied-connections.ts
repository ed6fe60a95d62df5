import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ClientAddress } from './client-address.js'
import { readProxyHeader } from './proxy-header.js'

export type ProxiedConnections = Pick<ClientAddress, 'isProxy'> & {
  /** Milliseconds for the header. */
  readonly headerMs: number
}

/**
 * Expects a header of the PROXY protocol at the start of each connection of a trusted proxy, and
 * hands the connection on as one of the client that it names. A connection without a whole header
 * is closed. Those of other peers are handed on as they are: a header of theirs is no HTTP. Call it
 * after all listeners for connections were added.
 */
export function unwrapConnections(server: Server, { isProxy, headerMs }: ProxiedConnections): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  const handOn = (socket: Socket) => {
    for (const listener of listeners) Reflect.apply(listener, server, [socket])
  }
  server.on('connection', (socket: Socket) => {
    if (isProxy(socket.remoteAddress)) readHeader(socket, headerMs, () => handOn(socket))
    else handOn(socket)
  })
}

function readHeader(socket: Socket, headerMs: number, onRead: () => void): void {
  let bytes = Buffer.alloc(0)
  const close = () => void socket.destroy()
  const timer = setTimeout(close, headerMs)
  const end = () => {
    clearTimeout(timer)
    socket.off('readable', read).off('end', close).off('close', end)
  }
  const read = () => {
    for (let chunk = takeBytes(socket); chunk !== undefined; chunk = takeBytes(socket)) bytes = Buffer.concat([bytes, chunk])
    const header = readProxyHeader(bytes)
    if (header.kind === 'partial') return
    end()
    if (header.kind === 'malformed') {
      close()
      return
    }
    if (header.client !== undefined) Object.defineProperty(socket, 'remoteAddress', { value: header.client })
    if (bytes.length > header.length) socket.unshift(bytes.subarray(header.length))
    onRead()
  }
  // a broken connection takes no response
  socket.on('error', close).on('readable', read).once('end', close).once('close', end)
}

function takeBytes(socket: Socket): Buffer | undefined {
  return (socket.read() as Buffer | null) ?? undefined
}
