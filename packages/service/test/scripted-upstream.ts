import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What an upstream does with one request. */
export type Script = (response: ServerResponse, request: IncomingMessage) => void

/** An upstream on a socket, which does what its script says, and counts what reaches it. */
export type ScriptedUpstream = {
  script: Script
  readonly origin: string
  readonly received: {
    readonly path: string
    readonly key: string | undefined
    readonly body: Buffer
  }[]
  readonly close: () => void
}

const audio = { 'content-type': 'audio/wav' }

/** Every way to fail. The status of each is the first that comes over the wire, if one does. */
export const scripts = {
  ok: (response) => response.writeHead(200, audio).end('RIFF'),
  'resets the connection': (response) => response.destroy(),
  'resets it in the body': (response) => {
    response.writeHead(200, audio).write('RI')
    setImmediate(() => response.destroy())
  },
  stalls: () => undefined,
  'stalls in the body': (response) => response.writeHead(200, audio).flushHeaders(),
  'responds 429': (response) => response.writeHead(429, { 'retry-after': '600' }).end('{}'),
  'responds 500': (response) => response.writeHead(500).end('oops'),
  'responds 503': (response) => response.writeHead(503).end(),
  'responds 401': (response) => response.writeHead(401).end('{}'),
  'responds 400': (response) => response.writeHead(400).end('{"error":"no"}'),
  'responds with a page': (response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello'),
  'responds with nothing': (response) => response.writeHead(200, audio).end(),
  'breaks off before the stated length': (response) => {
    response.writeHead(200, { ...audio, 'content-length': '8' }).write('RIFF')
    setImmediate(() => response.destroy())
  },
} as const satisfies Readonly<Record<string, Script>>

export async function startScripted(): Promise<ScriptedUpstream> {
  const received: ScriptedUpstream['received'] = []
  const server = createServer(
    (request, response) => void receive(request, response).catch(() => undefined),
  )
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const key = request.headers['idempotency-key']
    received.push({
      path: `${request.method} ${request.url}`,
      key: typeof key === 'string' ? key : undefined,
      body: Buffer.concat(chunks),
    })
    upstream.script(response, request)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const upstream: ScriptedUpstream = {
    script: scripts.ok,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return upstream
}
