import { codeOf } from '../code-of.js'
import type { Server } from 'node:http'

/** Listens and returns the port: a free one for port 0. Rejects with a ListenError. */
export function listen(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new ListenError(error, host, port)))
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** The address or the port is not available. */
export class ListenError extends Error {
  override readonly name = 'ListenError'

  constructor(cause: Error, host: string, port: number) {
    const taken = codeOf(cause) === 'EADDRINUSE'
    super(
      taken
        ? `Port ${port} of ${host} is in use. End what listens there, or give another port with --port (0 picks a free one).`
        : `Cannot listen at ${host}:${port} (${cause.message}). Give another address with --host, or another port with --port.`,
      { cause },
    )
  }
}
