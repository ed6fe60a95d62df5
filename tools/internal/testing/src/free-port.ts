import { once } from 'node:events'
import { createServer } from 'node:net'
import { listening } from './listening.js'

/** A free TCP port of loopback. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const { port } = new URL(await listening(server))
  server.close()
  await once(server, 'close')
  return Number(port)
}
