import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandError } from '../command.js'

/** Answers a request. `ended` resolves when the whole response was sent, or its client has gone. */
export type Fetch = (request: Request, ended: Promise<void>) => Promise<Response>

export type LoopbackServer = {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string
  /** Answers requests from now on. Before, they get 503. */
  readonly serve: (fetch: Fetch) => void
  /** Ends all connections. */
  readonly close: () => Promise<void>
}

/**
 * Listens on 127.0.0.1, for programs on this machine only. 0 selects a free port. Throws
 * `CommandError` if the port is not available.
 */
export async function listenOnLoopback(port: number): Promise<LoopbackServer> {
  let fetch: Fetch = async () =>
    Response.json(
      { error: 'The service is starting.' },
      { status: 503, headers: { 'retry-after': '1' } },
    )
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing, (...args) => fetch(...args)).catch(() => outgoing.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${error.message})`
    throw new CommandError(
      'cannot_listen',
      `Port ${port} of 127.0.0.1 ${why}. Use another --port, or omit it for a free one.`,
    )
  })
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : port}`
  const close = async () => {
    const closeEvent = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closeEvent
  }
  await requireCallable(origin).catch(async (error: unknown) => {
    await close()
    throw error
  })
  return { origin, serve: (next) => (fetch = next), close }
}

/** Throws `CommandError` for a port that browsers and `fetch` block (Fetch standard, port blocking). */
export async function requireCallable(origin: string): Promise<void> {
  await globalThis.fetch(origin).then(
    (response) => response.arrayBuffer(),
    (error: Error) => {
      const { message } = error.cause instanceof Error ? error.cause : error
      throw new CommandError(
        'cannot_listen',
        `${origin} cannot be called (${message}). Use another --port.`,
      )
    },
  )
}

/** Passes bodies on as they arrive, and aborts the request when its client goes away. */
async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fetch: Fetch,
): Promise<void> {
  const abort = new AbortController()
  const ended = new Promise<void>((resolve) => {
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) abort.abort()
      resolve()
    })
  })
  const response = await fetch(toRequest(incoming, abort.signal), ended)
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body === null) outgoing.end()
  else
    await pipeline(
      Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]),
      outgoing,
    )
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', headers, url = '/' } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const init: RequestInit & { readonly duplex?: 'half' } = {
    method,
    signal,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]),
    ...(hasBody && {
      body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>,
      duplex: 'half',
    }),
  }
  return new Request(new URL(url, `http://${headers.host ?? '127.0.0.1'}`), init)
}
