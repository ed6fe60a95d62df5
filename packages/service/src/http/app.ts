import { Hono, type Context } from 'hono'
import { operations, type OperationId } from '@farebox/types/operations'
import type { Admission } from '../access/admission.js'
import { answerHeaders, preflightHeaders } from './answer-headers.js'
import { errorResponse } from './error-response.js'
import type { Exchange, RequestInfo, RequestRecord } from './exchange.js'
import { refusal } from './http-error.js'
import { downloadPath } from '../video/download-urls.js'
import type { OperationRunner } from './operation-runner.js'

export type AppOptions = {
  readonly run: OperationRunner
  /** Answers requests to pre-signed URLs, which are outside of the contract's paths. */
  readonly download: (request: Request) => Promise<Response>
  readonly admission: Admission
  readonly requestId: () => string
  readonly now: () => number
  /** Told of every crash, of which the caller learns the request id alone. */
  readonly onError: (error: unknown, context: { readonly requestId: string; readonly operation?: OperationId }) => void
  /** Told of every request once its answer begins. */
  readonly onRequest: (record: RequestRecord) => void
  /** For durations: milliseconds that never go back. */
  readonly ticks: () => number
}

type Env = { Bindings: RequestInfo; Variables: { exchange: Exchange; operation?: OperationId | 'download' } }

const base = '/api/v1'

/** Routes requests to operations, and turns everything else into an answer in JSON, with the headers that every answer has. */
export function createApp({ run, download, admission, requestId, now, onError, onRequest, ticks }: AppOptions): Hono<Env> {
  const app = new Hono<Env>()

  app.use('*', async (c, next) => {
    const start = ticks()
    const exchange: Exchange = {
      requestId: requestId(),
      callerId: `ip:${c.env.remoteAddress ?? 'unknown'}`,
      caller: { kind: 'anonymous' },
      rateTier: 'default',
    }
    c.set('exchange', exchange)
    await next()
    await admission.conclude(exchange, c.res.status)
    const headers = { ...answerHeaders(exchange, now()), ...(await admission.headers(exchange)) }
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value)
    if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store')
    onRequest(recordOf(c, exchange, ticks() - start))
  })

  const routes = routesByPath()
  for (const [path, methods] of routes) {
    for (const [method, id] of methods) {
      app.on(method, path, async (c) => {
        c.set('operation', id)
        return run(id, c.req.raw, c.req.param(), c.get('exchange'))
      })
    }
    closePath(path, [...methods.keys()])
  }
  app.on(['GET', 'HEAD', 'DELETE'], downloadPath, async (c) => {
    c.set('operation', 'download')
    await admission.admit(c.get('exchange'), undefined)
    return download(c.req.raw)
  })
  closePath(downloadPath, ['GET', 'HEAD', 'DELETE'])
  app.notFound(async (c) => {
    try {
      return await refuseUnrouted(c, 404, 'There is no such path. Paths of the API begin with /api/v1.')
    } catch (error) {
      return answerError(error, c)
    }
  })
  app.onError(answerError)
  return app

  /** What a path answers to all methods but its own. */
  function closePath(path: string, methods: readonly string[]): void {
    const allowed = [...methods, 'OPTIONS'].join(', ')
    app.options(path, () => new Response(null, { status: 204, headers: { allow: allowed, ...preflightHeaders(allowed) } }))
    app.all(path, (c) =>
      refuseUnrouted(c, 405, `This path takes ${allowed}; this request is a ${c.req.method.slice(0, 20)}.`, { allow: allowed }),
    )
  }

  async function refuseUnrouted(
    c: Context<Env>,
    status: number,
    message: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<never> {
    await admission.admit(c.get('exchange'), undefined)
    throw refusal(status, message, status === 404 ? 'NOT_FOUND' : 'METHOD_NOT_ALLOWED', headers)
  }

  function answerError(error: unknown, c: Context<Env>): Response {
    const exchange = c.get('exchange')
    const found = c.get('operation')
    const operation = found === 'download' ? undefined : found
    return errorResponse(error, operation, exchange, (crash) =>
      onError(crash, { requestId: exchange.requestId, ...(operation !== undefined && { operation }) }),
    )
  }
}

function recordOf(c: Context<Env>, { requestId, caller, refusal }: Exchange, ms: number): RequestRecord {
  const operation = c.get('operation')
  return {
    requestId,
    method: c.req.method,
    ...(operation !== undefined && { operation }),
    status: c.res.status,
    ...(refusal !== undefined && { code: refusal }),
    ms,
    caller: caller.kind,
  }
}

/** Paths as Hono writes them, each with its methods. */
function routesByPath(): ReadonlyMap<string, ReadonlyMap<string, OperationId>> {
  const routes = new Map<string, Map<string, OperationId>>()
  for (const { id, method, path } of Object.values(operations)) {
    const route = base + path.replaceAll(/\{(\w+)\}/g, ':$1')
    routes.set(route, (routes.get(route) ?? new Map<string, OperationId>()).set(method, id))
  }
  return routes
}
