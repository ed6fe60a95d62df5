// A server to measure, in a process of its own: `bare` is Hono alone with one response, `service`
// is the service in memory.
import { createServer } from 'node:http'
import { createService } from '@farebox/service'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'

type Answer = (request: Request) => Response | Promise<Response>

const listener = getRequestListener(process.argv[2] === 'bare' ? bare() : await whole())
const server = createServer((incoming, outgoing) => void listener(incoming, outgoing))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined })
})
process.on('message', () => {
  globalThis.gc?.()
  process.send?.({ rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed })
})

function bare(): Answer {
  const app = new Hono()
  const body = JSON.stringify({ object: 'list', data: [{ id: 'a', text: 'x'.repeat(1_000) }] })
  const answer = (): Response => new Response(body, { headers: { 'content-type': 'application/json' } })
  app.get('*', answer)
  app.post('*', answer)
  return app.fetch
}

async function whole(): Promise<Answer> {
  let time = Date.now()
  const speech = {
    describe: () => 'bench',
    speak: async function* () {
      yield new Uint8Array(1_000)
    },
    close: async () => undefined,
  }
  // each request is a minute later than the one before, so that the rate limits do their work and
  // refuse none
  const { fetch } = await createService({
    origin: 'http://127.0.0.1',
    adminKey: 'k',
    adminCreditUsd: 1e6,
    speech,
    now: () => (time += 61_000),
  })
  return fetch
}
