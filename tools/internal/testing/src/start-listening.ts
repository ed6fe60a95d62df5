import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'

/** Lets a server listen on a free loopback port. Returns its origin, without a slash at the end. */
export async function startListening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A free TCP port of loopback. */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  const { port } = new URL(await startListening(server))
  server.close()
  await once(server, 'close')
  return Number(port)
}
