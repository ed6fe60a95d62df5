import { createServer } from 'node:http'
import { startListening } from '@farebox/testing/start-listening'
import sirv from 'sirv'

/** A running server. `origin` has no trailing slash. */
export type ServedFolder = { readonly origin: string; readonly close: () => void }

/** Serves the built site below `base` on a free loopback port, like any static file server. */
export async function serveFolder(folder: string, base: string): Promise<ServedFolder> {
  const files = sirv(folder)
  const server = createServer((request, response) => {
    const notFound = (): void =>
      void response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found')
    const path = request.url ?? '/'
    if (!path.startsWith(base)) return notFound()
    request.url = path.slice(base.length - 1)
    files(request, response, notFound)
  })
  return { origin: await startListening(server), close: () => server.close() }
}
