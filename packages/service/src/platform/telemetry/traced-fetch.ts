import { activeSpan, inSpan, type Attributes } from './spans.js'

/**
 * `fetch` in a span of its own, which it names to the server (`traceparent`, W3C). The span ends
 * with the head of the response, and names neither the path nor the query. Without an active span
 * it is `fetch` alone.
 */
export function tracedFetch(send: typeof fetch = fetch): typeof fetch {
  return (input, init) => {
    if (activeSpan() === undefined) return send(input, init)
    const url = new URL(input instanceof Request ? input.url : input)
    const method = (init?.method ?? 'GET').toUpperCase()
    return inSpan(
      { name: method, kind: 'client', attributes: describeRequest(method, url) },
      async (span) => {
        if (span === undefined) return send(input, init)
        const headers = new Headers(init?.headers)
        for (const [name, value] of Object.entries(span.headers())) headers.set(name, value)
        const response = await send(input, { ...init, headers })
        span.set({ 'http.response.status_code': response.status })
        if (response.status >= 400) span.fail(String(response.status))
        return response
      },
    )
  }
}

function describeRequest(method: string, { protocol, hostname, port }: URL): Attributes {
  return {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'url.scheme': protocol.slice(0, -1),
  }
}
