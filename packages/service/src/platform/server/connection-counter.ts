import type { Socket } from 'node:net'
import type { ClientAddress } from './client-address.js'

type Connection = Pick<Socket, 'remoteAddress' | 'once'>

/**
 * Returns a function that counts a connection until it closes. False for one over the limit of its
 * address.
 */
export function connectionCounter(limit: number, { ofPeer, isProxy }: ClientAddress): (socket: Connection) => boolean {
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
