// A server to be measured, in a process of its own: `bare` is Hono alone with one answer, `service` is the service in memory.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const service = new URL('../../../packages/service/', import.meta.url)
const { resolve } = createRequire(new URL('package.json', service))
const load = (/** @type {string} */ name) => import(pathToFileURL(resolve(name)).href)
const { getRequestListener } = await load('@hono/node-server')
const { createServer } = await import('node:http')

const fetch = process.argv[2] === 'bare' ? await bare() : await whole()
const server = createServer(getRequestListener(fetch))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined })
})
process.on('message', () => {
  globalThis.gc?.()
  process.send?.({ rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed })
})

async function bare() {
  const { Hono } = await load('hono')
  const app = new Hono()
  const body = JSON.stringify({ object: 'list', data: [{ id: 'a', text: 'x'.repeat(1_000) }] })
  const answer = () => new Response(body, { headers: { 'content-type': 'application/json' } })
  app.get('*', answer)
  app.post('*', answer)
  return app.fetch
}

async function whole() {
  const { createService } = await import(new URL('dist/index.js', service).href)
  let time = Date.now()
  const speech = {
    describe: () => 'bench',
    speak: async function* () {
      yield new Uint8Array(1_000)
    },
    close: async () => undefined,
  }
  // a minute a request: what is measured is the work of limits, not their refusals
  const { fetch } = await createService({
    origin: 'http://127.0.0.1',
    adminKey: 'k',
    adminCreditUsd: 1e6,
    speech,
    now: () => (time += 61_000),
  })
  return fetch
}
