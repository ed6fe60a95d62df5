import type { Call, CallBody, CallInit, Middleware } from './call.js'
import { compose } from './compose.js'
import { fetchSend } from './fetch-send.js'
import { readRequest } from './read-request.js'

/**
 * A fetch that sends through middleware, for any library that takes a `fetch` option. The first
 * middleware is the outermost.
 *
 * Every body except a stream can be sent again: text, bytes, Blob, FormData, URLSearchParams,
 * factories (`body: () => BodyInit`, an extension of fetch), and the body of a Request. The first
 * attempt reads a Request into memory. A stream in `init.body` is passed on as it is, and can be
 * sent once. To upload more than memory holds, pass a stream or a factory.
 */
export function withMiddleware(fetch: typeof globalThis.fetch, ...middleware: Middleware[]): typeof globalThis.fetch {
  const send = compose(fetchSend(fetch), middleware)
  return async (input, init) => send(toCall(input, init))
}

function toCall(input: string | URL | Request, init: RequestInit = {}): Call {
  const { method, headers, body, signal, ...rest } = init
  const request = typeof input === 'string' || input instanceof URL ? undefined : input
  const heard = (signal === undefined ? request?.signal : signal) ?? undefined
  const sent = (body as CallBody | null | undefined) ?? (request && readRequest(request, heard))
  return {
    url: absolute(typeof input === 'string' ? input : 'href' in input ? input.href : input.url),
    method: (method ?? request?.method ?? 'GET').toUpperCase(),
    headers: new Headers(headers ?? request?.headers),
    ...(sent !== undefined && sent !== null && { body: sent }),
    ...(heard && { signal: heard }),
    init: { ...(request && carriedBy(request)), ...rest },
  }
}

const fields = ['cache', 'credentials', 'integrity', 'keepalive', 'mode', 'redirect', 'referrer', 'referrerPolicy'] as const

function carriedBy(request: Request): CallInit {
  // only a browser can create a request of mode "navigate", and fetch refuses that mode
  const kept = fields.filter((field) => request[field] !== undefined && request[field] !== 'navigate')
  return Object.fromEntries(kept.map((field) => [field, request[field]]))
}

/**
 * A page may fetch a relative URL. A URL that cannot be parsed is left for fetch to refuse.
 */
function absolute(url: string): string {
  const base = (globalThis as { location?: { href?: string } }).location?.href
  return URL.canParse(url, base) ? new URL(url, base).href : url
}
