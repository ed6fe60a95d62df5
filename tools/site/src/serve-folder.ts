// Serves the built site on a free loopback port, as any server of files would.
import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { gzipSync } from 'node:zlib'

const types = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
}

/** @param {string} folder @param {string} base */
export function serveFolder(folder, base) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname)
    const file = join(folder, normalize(path.slice(base.length - 1).replace(/\/$/, '/index.html')))
    const within = path.startsWith(base) && file.startsWith(folder)
    readFile(within ? file : folder).then(
      (content) => {
        const bytes = gzipSync(content)
        const headers = { 'content-type': types[extname(file)] ?? 'application/octet-stream', 'content-encoding': 'gzip' }
        response.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes)
      },
      () => response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found'),
    )
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }))
  })
}
