import { createServer } from 'node:http'
import sirv from 'sirv'

/** A server that runs. `origin` has no slash at its end. */
export type ServedFolder = { readonly origin: string; readonly close: () => void }

/** Serves the built site below `base` on a free loopback port, as any server of files does. */
export function serveFolder(folder: string, base: string): Promise<ServedFolder> {
  const files = sirv(folder)
  const server = createServer((request, response) => {
    const notFound = (): void => void response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found')
    const path = request.url ?? '/'
    if (!path.startsWith(base)) return notFound()
    request.url = path.slice(base.length - 1)
    files(request, response, notFound)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      resolve({ origin: `http://127.0.0.1:${port}`, close: () => server.close() })
    })
  })
}
