import { Readable } from 'node:stream'
import type { Fetch } from './http-server.js'
import type { Live, LiveState } from './live.js'
import { contentSecurityPolicy, pageOf, partsOf } from './page.js'

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/**
 * Serves the page at `/demo` and its events (HTML standard, server-sent events) at `/demo/events`,
 * and leaves all other paths to the service.
 */
export function withPage(live: Live, origin: string): Fetch {
  return async (request, ended) => {
    const url = new URL(request.url)
    if (url.pathname !== '/demo' && url.pathname !== '/demo/events') return live.fetch(request, ended)
    // a page of another site can give its own name this address
    if (url.origin !== origin) return new Response(`The demo is at ${origin}/demo.\n`, { status: 403, headers })
    if (request.method !== 'GET') return new Response('Expected GET.\n', { status: 405, headers: { ...headers, allow: 'GET' } })
    if (url.pathname === '/demo')
      return new Response(pageOf(live.state()), { headers: { ...headers, 'content-type': 'text/html; charset=utf-8' } })
    const events = Readable.toWeb(Readable.from(messages(live.changes(request.signal))))
    return new Response(events as ReadableStream<Uint8Array>, { headers: { ...headers, 'content-type': 'text/event-stream' } })
  }
}

async function* messages(states: AsyncIterable<LiveState>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const state of states) yield Buffer.from(`data: ${JSON.stringify(partsOf(state))}\n\n`)
}
