import { timingSafeEqual } from 'node:crypto'
import type { Metrics } from '../../platform/telemetry/metrics.js'
import type { Readiness } from '../../platform/telemetry/readiness.js'
import { referencePage } from './reference-page.js'

export type OperatorPagesOptions = {
  readonly origin: string
  readonly serviceName: string
  /** The contract. Its `servers` become this service. */
  readonly document: Readonly<Record<string, unknown>>
  readonly ready: () => Promise<Readiness>
  readonly metrics: Pick<Metrics, 'print'>
  /** The bearer key of `/metrics`. Default: nobody reads them. */
  readonly metricsKey?: string
}

/** Health, metrics and documentation. They are not part of the API: not limited and not logged. */
export type OperatorPages = (request: Request) => Promise<Response> | undefined

export function createOperatorPages(options: OperatorPagesOptions): OperatorPages {
  const { origin, serviceName, ready, metrics, metricsKey } = options
  const document = { ...options.document, servers: [{ url: `${origin}/api/v1`, description: serviceName }] }
  const openapi = JSON.stringify(document)
  let page: string | undefined
  const pages: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
    '/healthz': () => json(200, { status: 'ok' }),
    '/readyz': async () => {
      const found = await ready()
      return json(found.ready ? 200 : 503, { status: found.ready ? 'ready' : 'not ready', checks: found.checks })
    },
    '/metrics': (request) => {
      if (metricsKey === undefined || !carries(request, metricsKey)) {
        const headers = { 'www-authenticate': 'Bearer' }
        const error = 'Metrics need "Authorization: Bearer <KEY>" with the key in FAREBOX_METRICS_KEY, or else the admin key.'
        return json(401, { error }, headers)
      }
      return answer(200, metrics.print(), { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
    },
    '/openapi.json': () => answer(200, openapi, { 'content-type': 'application/json', 'access-control-allow-origin': '*' }),
    '/': () => answer(200, (page ??= referencePage(document, { origin, serviceName })), pageHeaders),
  }

  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const path = pathOf(request.url)
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined
    return page && Promise.resolve(page(request)).then((response) => (request.method === 'HEAD' ? new Response(null, response) : response))
  }
}

/** The page loads, runs and sends nothing, and no frame shows it. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return answer(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers })
}

function answer(status: number, body: string, headers: Readonly<Record<string, string>>): Response {
  return new Response(body, { status, headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers } })
}

/** The path of a URL, without the cost of parsing it. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  if (start === -1) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}

function carries(request: Request, key: string): boolean {
  const given = Buffer.from(request.headers.get('authorization') ?? '')
  const right = Buffer.from(`Bearer ${key}`)
  return given.length === right.length && timingSafeEqual(given, right)
}
