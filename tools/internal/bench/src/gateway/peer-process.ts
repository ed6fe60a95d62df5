// A process beside the gateways: `upstream` is a mock of chat that responds at once, `proxy` is Hono
// with fetch and nothing else.
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { startListening } from '@farebox/testing/start-listening'
import { Hono } from 'hono'

const [kind, upstream = ''] = process.argv.slice(2)

const words = 40
const usage = { prompt_tokens: 9, completion_tokens: words, total_tokens: words + 9 }
const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'bench' }
const whole = JSON.stringify({
  ...head,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: ' the'.repeat(words) },
      finish_reason: 'stop',
    },
  ],
  usage,
})
const createChunk = (delta: object, finish_reason: string | null) => ({
  ...head,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
})
const events = [
  ...Array.from({ length: words }, () => createChunk({ content: ' the' }, null)),
  createChunk({}, 'stop'),
  { ...createChunk({}, null), choices: [], usage },
].map((value) => `data: ${JSON.stringify(value)}\n\n`)

const server = createServer(
  { keepAliveTimeout: 600_000 },
  kind === 'upstream' ? respond : getRequestListener(createProxy().fetch),
)
process.send?.({ url: await startListening(server) })

function respond(...[request, response]: Parameters<Parameters<typeof createServer>[1] & object>) {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.once('end', () => {
    if (!Buffer.concat(parts).includes('"stream":true')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(whole)
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) response.write(event)
    response.end('data: [DONE]\n\n')
  })
}

function createProxy() {
  const app = new Hono()
  app.post('*', async ({ req }) => {
    const response = await fetch(`${upstream}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: await req.text(),
    })
    return new Response(response.body, {
      status: response.status,
      headers: { 'content-type': response.headers.get('content-type') ?? '' },
    })
  })
  return app
}
