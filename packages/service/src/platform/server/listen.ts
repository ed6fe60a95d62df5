import { readErrorCode } from '../error-code.js'
import type { Server } from 'node:http'

/** `flags` is what the options for it begin with. */
export type Place = { readonly host: string; readonly port: number; readonly flags?: string }

/** Listens and returns the port: a free one for port 0. Rejects with a ListenError. */
export function listen(server: Server, { host, port, flags = '--' }: Place): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new ListenError(error, { host, port, flags })))
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** The address or the port is not available. */
export class ListenError extends Error {
  override readonly name = 'ListenError'

  constructor(cause: Error, { host, port, flags }: Required<Place>) {
    const taken = readErrorCode(cause) === 'EADDRINUSE'
    super(
      taken
        ? `Port ${port} of ${host} is in use. End what listens there, or give another port with ${flags}port (0 picks a free one).`
        : `Cannot listen at ${host}:${port} (${cause.message}). Give another address with ${flags}host, or another port with ${flags}port.`,
      { cause },
    )
  }
}
