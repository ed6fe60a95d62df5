import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

/** What a server may do to a request. */
export type Fault =
  | {
      readonly kind: 'response'
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string | Uint8Array
    }
  /** The connection is cut when the request has been read. */
  | { readonly kind: 'reset' }
  /** Cut after the status line and headers, before any of the body. */
  | { readonly kind: 'reset-after-headers' }
  /** Cut within the body: a content-length that is not kept. */
  | { readonly kind: 'reset-mid-body' }
  /** The body ends in good order, but short of its content-length. */
  | { readonly kind: 'truncated' }
  /** No headers until so many milliseconds have passed; with `Infinity` never. */
  | { readonly kind: 'slow-headers'; readonly ms: number }
  /** Headers at once, then a byte of the body every so many milliseconds, without an end. */
  | { readonly kind: 'slow-body'; readonly ms: number; readonly status?: number }
  /** A page of a proxy, with status 200. */
  | { readonly kind: 'html' }
  | { readonly kind: 'empty' }
  /** More header bytes than any client takes. */
  | { readonly kind: 'huge-headers' }
  | { readonly kind: 'malformed-headers' }
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: number }
  /** 320 MiB of JSON, and well-formed, in 320 KiB of gzip. */
  | { readonly kind: 'gzip-bomb'; readonly status?: number }
  /** These very bytes, and then the end of the connection. */
  | { readonly kind: 'raw'; readonly text: string }

let bomb: Uint8Array | undefined

/** Plays one fault on a connection whose request has been read. */
export function play(fault: Fault, socket: Socket): void {
  switch (fault.kind) {
    case 'response':
      return respond(
        socket,
        fault.status ?? 200,
        { 'content-type': 'application/json', ...fault.headers },
        fault.body ?? '{}',
      )
    case 'reset':
      return void socket.resetAndDestroy()
    case 'reset-after-headers':
      socket.write(
        formatHead(200, { 'content-type': 'application/json', 'content-length': '100' }),
        () => socket.resetAndDestroy(),
      )
      return
    case 'reset-mid-body':
      socket.write(
        `${formatHead(200, { 'content-type': 'application/json', 'content-length': '100' })}{"text":"Fa`,
        () => socket.resetAndDestroy(),
      )
      return
    case 'truncated':
      return void socket.end(
        `${formatHead(200, { 'content-type': 'application/json', 'content-length': '100' })}{"text":"Fa`,
      )
    case 'slow-headers':
      if (fault.ms !== Infinity)
        runLater(socket, fault.ms, () =>
          respond(socket, 200, { 'content-type': 'application/json' }, '{}'),
        )
      return
    case 'slow-body':
      socket.write(
        formatHead(fault.status ?? 200, {
          'content-type': 'application/json',
          'transfer-encoding': 'chunked',
        }),
      )
      return drip(socket, fault.ms)
    case 'html':
      return respond(
        socket,
        200,
        { 'content-type': 'text/html' },
        '<!doctype html><title>Please wait</title>',
      )
    case 'empty':
      return respond(socket, 200, { 'content-type': 'application/json' }, '')
    case 'huge-headers':
      return respond(
        socket,
        200,
        { 'content-type': 'application/json', 'x-huge': 'x'.repeat(1_000_000) },
        '{}',
      )
    case 'malformed-headers':
      return void socket.end('HTTP/1.1 200 OK\r\nno colon here\r\n\0: 1\r\n\r\n{}')
    case 'redirect':
      return respond(socket, fault.status ?? 307, { location: fault.to }, '')
    case 'gzip-bomb':
      bomb ??= createGzipBomb()
      return respond(
        socket,
        fault.status ?? 200,
        { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        bomb,
      )
    case 'raw':
      return void socket.end(fault.text)
  }
}

/** Gzip files may stand one behind the other, so that one part is packed once. */
function createGzipBomb(): Uint8Array {
  const part = gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a'))
  return Buffer.concat([gzipSync('{"data":"'), part, part, part, part, part, gzipSync('"}')])
}

function respond(
  socket: Socket,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): void {
  const bytes = Buffer.from(body)
  socket.write(
    formatHead(status, {
      ...(status !== 204 && { 'content-length': String(bytes.length) }),
      ...headers,
    }),
  )
  socket.end(bytes)
}

function formatHead(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `HTTP/1.1 ${status} Said\r\n${lines.join('')}\r\n`
}

function drip(socket: Socket, ms: number): void {
  const timer = setInterval(() => socket.write('1\r\n \r\n'), ms)
  socket.once('close', () => clearInterval(timer))
}

function runLater(socket: Socket, ms: number, work: () => void): void {
  const timer = setTimeout(work, ms)
  socket.once('close', () => clearTimeout(timer))
}
