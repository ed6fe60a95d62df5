import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  decodePaymentHeader,
  encodeJsonHeader,
  findUsdcContract,
  verifyPaymentAuthorization,
  verifySiwxHeader,
} from '@farebox/auth/verify'
import { startListening } from '@farebox/testing/start-listening'
import { cases, fileSize, question, responseText, type CaseName } from './cases.js'

export type MatrixServer = {
  readonly origin: string
  /** How many requests came for a case of a client in a runtime. */
  readonly sends: (runtime: string, client: string, name: string) => number
  /** The fault of the last request that got a 400. */
  readonly objection: (runtime: string, client: string, name: string) => string | undefined
  /** Serves a page that runs a module, and resolves with what the page posts to its own address. */
  readonly serve: (script: string) => {
    readonly address: string
    readonly reported: Promise<string>
  }
  readonly close: () => void
}

const offer = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '500000',
  asset: findUsdcContract('eip155:8453')?.asset ?? '',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
}

/**
 * Serves an empty page at `/`, and the cases at `/RUNTIME/CLIENT/CASE/…`. The first request of a
 * case gets its rejection. Every request must be signed in afresh and have its whole body, and a paid
 * one a valid payment. Any other request gets a 400, and the server keeps the reason.
 */
export async function startServer(): Promise<MatrixServer> {
  const first = new Map<string, { body: Buffer; count: number }>()
  const objections = new Map<string, string>()
  const nonces = new Set<string>()
  let origin = ''
  let page: { readonly script: string; readonly report: (text: string) => void } | undefined

  const reply = async (
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
  ): Promise<void> => {
    const { url = '', headers } = request
    const key = readKey(url)
    const name = key.split('/').at(-1) ?? ''
    const seen = first.get(key) ?? { body, count: 0 }
    first.set(key, { ...seen, count: seen.count + 1 })
    await checkBody(headers['content-type'] ?? '', body)
    if (name in cases) {
      const { nonce } = await verifySiwxHeader(String(headers['sign-in-with-x']), {
        domain: new URL(origin).host,
        uri: origin,
      })
      if (nonces.has(nonce)) throw new Error('the sign-in was sent before')
      nonces.add(nonce)
      if (!seen.body.equals(body))
        throw new Error('the body differs from that of the first request')
      const { rejection } = cases[name as CaseName]
      if (seen.count === 0 && rejection !== 200) return rejectRequest(response, rejection)
      if (rejection === 402)
        await verifyPaymentAuthorization(
          decodePaymentHeader(String(headers['payment-signature'])),
          offer,
        )
    }
    if (url.endsWith('/audio/speech'))
      return void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(responseText)
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ text: responseText }))
  }

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/')
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    if (page && request.url === '/page.js') {
      return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(page.script)
    }
    if (page && request.url === '/page') {
      if (request.method === 'POST') page.report(Buffer.concat(parts).toString())
      return void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><script type="module" src="/page.js"></script>')
    }
    await reply(request, response, Buffer.concat(parts)).catch((error: unknown) => {
      objections.set(
        readKey(request.url ?? ''),
        error instanceof Error ? error.message : String(error),
      )
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"wrong"}')
    })
  }

  const server = createServer((request, response) => void receive(request, response))
  origin = await startListening(server)
  return {
    origin,
    sends: (...key) => first.get(readKey(`/${key.map(encodeURIComponent).join('/')}`))?.count ?? 0,
    objection: (...key) => objections.get(readKey(`/${key.map(encodeURIComponent).join('/')}`)),
    serve: (script) => ({
      address: `${origin}/page`,
      reported: new Promise((report) => {
        page = { script, report }
      }),
    }),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** `/RUNTIME/CLIENT/CASE` of a path, in which the client's name may have a slash. */
function readKey(url: string): string {
  return url.split('/').slice(1, 4).join('/')
}

function rejectRequest(response: ServerResponse, status: number): void {
  const accepts = {
    'payment-required': encodeJsonHeader({
      x402Version: 2,
      resource: { url: '/' },
      accepts: [offer],
    }),
  }
  response
    .writeHead(status, { 'content-type': 'application/json', ...(status === 402 && accepts) })
    .end('{"error":"not yet"}')
}

async function checkBody(type: string, body: Buffer): Promise<void> {
  if (type.startsWith('application/json')) {
    const { input } = JSON.parse(body.toString()) as { readonly input?: unknown }
    if (input !== question) throw new Error('the JSON lacks its text')
    return
  }
  if (!type.startsWith('multipart/form-data; boundary='))
    throw new Error(`the form came as ${type}`)
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': type },
  }).formData()
  const file = form.get('file')
  if (form.get('model') !== question) throw new Error('the form lacks its text')
  const bytes = file instanceof File ? Buffer.from(await file.arrayBuffer()) : Buffer.of()
  if (!bytes.equals(Buffer.alloc(fileSize, 7)))
    throw new Error(`the file of the form has ${bytes.length} other bytes`)
}
