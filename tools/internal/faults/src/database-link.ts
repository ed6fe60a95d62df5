import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { startListening } from '@farebox/testing/start-listening'

/** The TCP connections of one service to the database, through a port of ours. */
export type DatabaseLink = {
  /** The database as this service sees it. */
  readonly url: string
  /** Breaks all connections and rejects further ones. Returns what lets them through again. */
  readonly cut: () => () => void
  /** Keeps all bytes back in both directions. Returns what lets them through again. */
  readonly stall: () => () => void
  readonly close: () => Promise<void>
}

export async function openDatabaseLink(databaseUrl: string): Promise<DatabaseLink> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isCut = false
  let isStalled = false
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    if (isStalled) socket.pause()
  }
  const server = createServer((near) => {
    if (isCut) {
      near.destroy()
      return
    }
    const far = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('data', (chunk) => void other.write(chunk))
      one.once('end', () => other.end())
      one.once('close', () => other.destroy())
      one.on('error', () => undefined)
      keep(one)
    }
  })
  const url = new URL(databaseUrl)
  url.port = new URL(await startListening(server)).port
  return {
    url: url.href,
    cut: () => {
      isCut = true
      for (const socket of sockets) socket.destroy()
      return () => void (isCut = false)
    },
    stall: () => {
      isStalled = true
      for (const socket of sockets) socket.pause()
      return () => {
        isStalled = false
        for (const socket of sockets) socket.resume()
      }
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
