import { readFileSync, readdirSync } from 'node:fs'
import { extname } from 'node:path'
import { createMemoryLimits } from '../domain/limits/limits.js'
import { lazy } from '../platform/lazy.js'
import type { ClientAddress } from '../platform/server/client-address.js'
import type { Metrics } from '../platform/telemetry/metrics.js'
import type { Readiness } from '../platform/telemetry/readiness.js'
import type { RequestInfo } from './request-context.js'

type OperatorPagesOptions = {
  readonly origin: string
  readonly serviceName: string
  /** The contract. Its `servers` become this service. */
  readonly document: Readonly<Record<string, unknown>>
  readonly ready: () => Promise<Readiness>
  /** The resources that can be paid for by x402. */
  readonly manifest: () => Promise<object>
  readonly admits: PageLimit
  readonly metrics: Pick<Metrics, 'print'>
  /** Whether a bearer key may read `/metrics`. */
  readonly isMetricsKey: (key: string) => boolean
  /** Handles a request that is not for a page. */
  readonly otherwise: (request: Request, info: RequestInfo) => Response | Promise<Response>
}

/**
 * Health, metrics and documentation. They are not part of the API: they are not logged and have a
 * separate limit for each address. `otherwise` handles every other request.
 */
export function createOperatorPages(
  options: OperatorPagesOptions,
): OperatorPagesOptions['otherwise'] {
  const { origin, serviceName, ready, manifest, admits, metrics, isMetricsKey, otherwise } = options
  const document = {
    ...options.document,
    servers: [{ url: `${origin}/api/v1`, description: serviceName }],
  }
  const openapi = JSON.stringify(document)
  const reference = [...loadReferenceFiles({ origin, serviceName })].map(([path, file]) => {
    const show = () =>
      respond(200, file().body, { 'content-type': file().contentType, ...pageHeaders })
    return [path, show] as const
  })
  const pages: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
    '/healthz': () => respondWithJson(200, { status: 'ok' }),
    '/readyz': async () => {
      const readiness = await ready()
      return respondWithJson(readiness.ready ? 200 : 503, {
        status: readiness.ready ? 'ready' : 'not ready',
        checks: readiness.checks,
      })
    },
    '/metrics': async (request) => {
      const [, key] = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '') ?? []
      if (key === undefined || !isMetricsKey(key)) {
        const headers = { 'www-authenticate': 'Bearer' }
        const error =
          'Metrics need "Authorization: Bearer <KEY>" with the key in FAREBOX_METRICS_KEY, or else the admin key.'
        return respondWithJson(401, { error }, headers)
      }
      return respond(200, await metrics.print(), {
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      })
    },
    '/openapi.json': () =>
      respond(200, openapi, {
        'content-type': 'application/json',
        'access-control-allow-origin': '*',
      }),
    '/.well-known/x402': async () =>
      respondWithJson(200, await manifest(), { 'access-control-allow-origin': '*' }),
    ...Object.fromEntries(reference),
  }

  const limitPage = async (
    page: (request: Request) => Response | Promise<Response>,
    request: Request,
    info: RequestInfo,
  ) =>
    (await admits(request, info))
      ? page(request)
      : respondWithJson(429, tooMany, { 'retry-after': '60' })

  return (request, info) => {
    const path = readPath(request.url)
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined
    if (page === undefined) return otherwise(request, info)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    return limitPage(isRead ? page : rejectMethod, request, info).then((response) =>
      request.method === 'HEAD' ? new Response(null, response) : response,
    )
  }
}

/**
 * The page only loads from and calls this service, runs no foreign script, and cannot be framed.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'media-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]
const pageHeaders = {
  'content-security-policy': policy.join('; '),
  'referrer-policy': 'no-referrer',
}

const tooMany = {
  error: 'This address has asked for too many pages. Try again in a minute.',
  code: 'RATE_LIMIT_EXCEEDED',
}

function rejectMethod({ method }: Request): Response {
  const allow = 'GET, HEAD, OPTIONS'
  if (method === 'OPTIONS') return respond(204, null, { allow })
  const error = `This path takes ${allow}; this request is a ${method.slice(0, 20)}.`
  return respondWithJson(405, { error, code: 'METHOD_NOT_ALLOWED' }, { allow })
}

function respondWithJson(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return respond(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers })
}

function respond(
  status: number,
  body: string | null,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, {
    status,
    headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers },
  })
}

/** The path of a URL, without the cost of parsing it. */
function readPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  if (start === -1) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}

/** Files that `pnpm generate` makes from the contract, beside `src` and beside `dist`. */
const folder = new URL('../../prepared/generated/', import.meta.url)

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

type ReferenceFile = { readonly body: string; readonly contentType: string }
type ReferenceNames = { readonly origin: string; readonly serviceName: string }

/**
 * The files of the reference by their path: its page at `/`, with the address and the name of this
 * service, and what the page loads below `/reference/`. A file is read when it is first asked for.
 */
function loadReferenceFiles(names: ReferenceNames): ReadonlyMap<string, () => ReferenceFile> {
  const files = readdirSync(folder).map((name) => {
    const read = lazy(() => readFileSync(new URL(name, folder), 'utf8')).get
    const contentType = types[extname(name)] ?? 'application/octet-stream'
    if (name === 'index.html')
      return ['/', lazy(() => ({ body: insertNames(read(), names), contentType })).get] as const
    return [`/reference/${name}`, () => ({ body: read(), contentType })] as const
  })
  return new Map(files)
}

function insertNames(page: string, { origin, serviceName }: ReferenceNames): string {
  return page
    .replaceAll('{{origin}}', () => escapeHtml(origin))
    .replaceAll('{{serviceName}}', () => escapeHtml(serviceName))
}

/** Escapes text for HTML and its attributes. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Requests of one address for all pages in a minute: many probes, and far below a flood. */
export const pageRequests = 600

/** Whether an address may load another page. Counted separately from the API. */
type PageLimit = (request: Request, info: RequestInfo) => Promise<boolean>

/** `now` in milliseconds since 1970. */
export function createPageLimit(
  findClientAddress: ClientAddress['ofRequest'],
  now: () => number,
): PageLimit {
  const limits = createMemoryLimits()
  return async ({ headers }, { remoteAddress }) => {
    const caller = findClientAddress(remoteAddress, headers)
    return (await limits.count({ caller, rateClass: 'pages' }, pageRequests, now())).admitted
  }
}
