import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'

export type Echo = {
  readonly origin: string
  /** Every request as it came over the wire: the head and the body, in Latin-1. */
  readonly seen: string[]
  /** The raw response to the next requests. Default: 200 with `{}`. */
  respond: (request: string) => string
  readonly close: () => Promise<void>
}

/** The response 200 with a JSON text, and with more header lines. */
export function writeResponse(
  body: string,
  headers: readonly string[] = [],
  status = '200 OK',
): string {
  const lines = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  return [...lines, ...headers, '', body].join('\r\n')
}

/** A server on a bare socket, which keeps every byte that it is sent. */
export async function startEchoServer(): Promise<Echo> {
  const seen: string[] = []
  const server: Server = createServer((socket) => {
    let request = ''
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk: Buffer) => {
      request += chunk.toString('latin1')
      if (!isWhole(request)) return
      seen.push(request)
      socket.end(state.respond(request))
      request = ''
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const state: Echo = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    respond: () => writeResponse('{}'),
    close: async () => {
      server.close()
      await once(server, 'close')
    },
  }
  return state
}

function isWhole(request: string): boolean {
  const end = request.indexOf('\r\n\r\n')
  if (end === -1) return false
  const head = request.slice(0, end)
  const body = request.slice(end + 4)
  if (/^transfer-encoding: chunked$/im.test(head)) return body.endsWith('0\r\n\r\n')
  return body.length >= Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
}

/**
 * The first line of a request, and its header lines of these names in lower case, in the order of
 * the wire.
 */
export function selectLines(request: string, ...names: readonly string[]): readonly string[] {
  const [first = '', ...lines] = request.slice(0, request.indexOf('\r\n\r\n')).split('\r\n')
  return [
    first,
    ...lines
      .map((line) => line.replace(/^[^:]*/, (name) => name.toLowerCase()))
      .filter((line) => names.includes(line.replace(/:.*/s, ''))),
  ]
}

/** The bytes behind the head. */
export function readBody(request: string): string {
  return request.slice(request.indexOf('\r\n\r\n') + 4)
}
