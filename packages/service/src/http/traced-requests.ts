import { operations } from '@farebox/types/operations'
import { downloadPath } from '../domain/video/download-urls.js'
import type { RequestRecord } from '../platform/telemetry/log.js'
import { activeSpan, inOpenSpan, type Attributes } from '../platform/telemetry/spans.js'
import type { Telemetry } from '../platform/telemetry/telemetry.js'
import type { RequestInfo } from './request-context.js'

type Fetch = (request: Request, info: RequestInfo) => Promise<Response>

/**
 * Answers each request in a span of a server, which continues the trace of the caller. The span has
 * the names of OpenTelemetry, but no path, query and address: they may name a wallet or carry a
 * signature.
 */
export function tracedRequests(
  telemetry: Telemetry | undefined,
  origin: string,
  answer: Fetch,
): Fetch {
  if (telemetry === undefined) return answer
  const { protocol, hostname, port } = new URL(origin)
  const server = {
    'url.scheme': protocol.slice(0, -1),
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  }
  return (request, info) => {
    const method = methods.has(request.method) ? request.method : '_OTHER'
    const attributes: Attributes = { ...server, 'http.request.method': method }
    const span = telemetry.startSpan(
      { name: spanName(method), kind: 'server', attributes },
      request.headers,
    )
    return span === undefined
      ? answer(request, info)
      : inOpenSpan(span, () => answer(request, info))
  }
}

/** Adds to the span of a request what its record says. */
export function noteRequest({
  requestId,
  method,
  operation,
  status,
  code,
  caller,
}: RequestRecord): void {
  const span = activeSpan()
  if (span === undefined) return
  const route =
    operation && (operation === 'download' ? downloadPath : `/api/v1${operations[operation].path}`)
  if (route !== undefined) span.rename(`${method} ${route}`)
  span.set({
    ...(route !== undefined && { 'http.route': route }),
    'http.response.status_code': status,
    'farebox.request_id': requestId,
    'farebox.caller': caller,
    ...(operation !== undefined && { 'farebox.operation': operation }),
    ...(code !== undefined && { 'farebox.code': code }),
  })
  // a response of 4xx is the fault of its caller
  if (status >= 500) span.fail(code ?? String(status))
}

const methods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
])

function spanName(method: string): string {
  return method === '_OTHER' ? 'HTTP' : method
}
