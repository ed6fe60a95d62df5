// A server to measure, in a process of its own: `bare` is Hono alone with one response, `service`
// is the service in memory, `wallets` is the service at a time that it is told, `shared` is one of
// several on a PostgreSQL.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as service from '@farebox/service'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'

type Fetch = (request: Request) => Response | Promise<Response>

let time = Date.now()
const [kind, checkout = ''] = process.argv.slice(2)
const listener = getRequestListener(
  kind === 'bare' ? createBareServer() : await createWholeService(),
)
// its clients make their sign-ins between two loads
const server = createServer(
  { keepAliveTimeout: 600_000 },
  (incoming, outgoing) => void listener(incoming, outgoing),
)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined })
})
process.on('message', (message: 'usage' | { readonly time: number }) => {
  if (message !== 'usage') {
    time = message.time
    return
  }
  globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  process.send?.({
    rss: process.memoryUsage().rss,
    heap: process.memoryUsage().heapUsed,
    cpu: (user + system) / 1000,
  })
})

function createBareServer(): Fetch {
  const app = new Hono()
  const body = JSON.stringify({ object: 'list', data: [{ id: 'a', text: 'x'.repeat(1_000) }] })
  const respond = (): Response =>
    new Response(body, { headers: { 'content-type': 'application/json' } })
  app.get('*', respond)
  app.post('*', respond)
  return app.fetch
}

async function createWholeService(): Promise<Fetch> {
  const { createService } = (await import(
    pathToFileURL(join(checkout, 'packages/service/dist/index.js')).href
  )) as typeof service
  const speech = {
    describe: () => 'bench',
    speak: async function* ({ text }: { readonly text: string }) {
      if (kind !== 'shared') yield { bytes: new Uint8Array(1_000), made: text.length }
      // a part for each ten characters, as an upstream streams
      else
        for (let made = 10; made < text.length + 10; made += 10)
          yield { bytes: new Uint8Array(4_096), made: Math.min(made, text.length) }
    },
    close: async () => undefined,
  }
  if (kind === 'shared') {
    const options = {
      origin: 'http://127.0.0.1',
      databaseUrl: process.env['BENCH_DATABASE_URL'] ?? '',
      keyPepper: 'bench',
    }
    return (await createService({ ...options, speech })).fetch
  }
  // each request is a minute later than the one before, so that the rate limits do their work and
  // reject none
  const { fetch } = await createService({
    origin: 'http://127.0.0.1',
    adminKey: 'k',
    adminCreditUsd: 1e6,
    speech,
    now: () => (kind === 'service' ? (time += 61_000) : time),
  })
  return fetch
}
