import { operations, type OperationId } from '@farebox/types/operations'
import { Hono, type Context } from 'hono'
import { failure } from '../contract/failures.js'
import { downloadPath } from '../domain/downloads/downloads.js'
import type { ClientAddress } from '../platform/server/client-address.js'
import type { RequestRecord } from '../platform/telemetry/log.js'
import type { Admission } from './admission.js'
import type { OperationRunner } from './operation-runner.js'
import type { PaymentScheme } from './payment-scheme.js'
import { toErrorReply, HttpError, type Reply } from './reply.js'
import type { RequestContext, RequestInfo } from './request-context.js'
import { closeOnFailure } from './stream-body.js'

export type AppOptions = {
  readonly run: OperationRunner
  /** Handles requests to download URLs, which are not paths of the contract. */
  readonly download: (request: Request) => Promise<Reply>
  readonly admission: Admission
  /** The address that a request without credentials counts for. */
  readonly findClientAddress: ClientAddress['ofRequest']
  /** Creates unique ids. */
  readonly id: () => string
  readonly now: () => number
  /** Called for every crash. The caller only gets the request id. */
  readonly onError: (
    error: unknown,
    context: { readonly requestId: string; readonly operation?: OperationId },
  ) => void
  /** Called for every request once its response begins. */
  readonly onRequest: (record: RequestRecord) => void
  /** Milliseconds that never go back, for durations. */
  readonly ticks: () => number
  readonly paymentScheme: PaymentScheme
}

type Env = { Bindings: RequestInfo }
type Work = (requestContext: RequestContext) => Promise<Reply>

const base = '/api/v1'

/**
 * Routes requests to operations. Every response has the common headers, and every error is JSON.
 */
export function createApp({
  run,
  download,
  admission,
  findClientAddress,
  id: createId,
  now,
  onError,
  onRequest,
  ticks,
  paymentScheme,
}: AppOptions): Hono<Env> {
  const app = new Hono<Env>()

  for (const [path, methods] of groupRoutesByPath()) {
    for (const [method, id] of methods) {
      app.on(method, path, (c) =>
        respond(c, id, async (requestContext) =>
          run(id, paymentScheme.read(c.req.raw), c.req.param(), requestContext),
        ),
      )
    }
    closePath(path, [...methods.keys()])
  }
  app.on(['GET', 'HEAD', 'DELETE'], downloadPath, (c) =>
    respond(c, 'download', async (requestContext) => {
      await admission.admit(requestContext, undefined)
      return download(c.req.raw)
    }),
  )
  closePath(downloadPath, ['GET', 'DELETE'])
  app.notFound((c) =>
    respond(c, undefined, (requestContext) => rejectUnrouted(requestContext, 404, noPath)),
  )
  return app

  async function respond(
    c: Context<Env>,
    operation: RequestRecord['operation'],
    work: Work,
  ): Promise<Response> {
    const start = ticks()
    const requestContext: RequestContext = {
      requestId: `req_${createId()}`,
      callerId: `ip:${findClientAddress(c.env.remoteAddress, c.req.raw.headers)}`,
      caller: { kind: 'anonymous' },
      rateTier: 'default',
    }
    const { requestId: id } = requestContext
    const handleFailure = (error: unknown) => {
      const operationId = operation === 'download' ? undefined : operation
      return toErrorReply(error, operationId, requestContext, (crash) =>
        onError(crash, {
          requestId: id,
          ...(operationId !== undefined && { operation: operationId }),
        }),
      )
    }
    let reply = await work(requestContext).catch(handleFailure)
    let quota: Readonly<Record<string, string>> = {}
    try {
      await admission.conclude(requestContext, reply)
      quota = await admission.headers(requestContext)
    } catch (error) {
      if (reply.body instanceof ReadableStream) await reply.body.cancel()
      reply = handleFailure(error)
    }
    const { status, body, headers } = reply
    const { breakOff } = c.env
    const common = { ...headers, ...createCommonHeaders(requestContext, now()) }
    const response = new Response(
      breakOff && body instanceof ReadableStream ? closeOnFailure(body, breakOff) : body,
      {
        status,
        headers: {
          'cache-control': 'no-store',
          ...common,
          ...paymentScheme.headers(c.req.raw, common),
          ...quota,
        },
      },
    )
    onRequest({
      requestId: id,
      method: c.req.method,
      ...(operation !== undefined && { operation }),
      status,
      ...(requestContext.errorCode !== undefined && { code: requestContext.errorCode }),
      ms: ticks() - start,
      caller: requestContext.caller.kind,
    })
    return response
  }

  /** Rejects all other methods of a path. A path with GET also has HEAD. */
  function closePath(path: string, methods: readonly string[]): void {
    const allow = [
      ...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
      'OPTIONS',
    ].join(', ')
    const preflight: Reply = {
      status: 204,
      body: null,
      headers: { allow, ...createPreflightHeaders(allow) },
    }
    app.options(path, (c) => respond(c, undefined, async () => preflight))
    app.all(path, (c) =>
      respond(c, undefined, (requestContext) =>
        rejectUnrouted(
          requestContext,
          405,
          `This path takes ${allow}; this request is a ${c.req.method.slice(0, 20)}.`,
          { allow },
        ),
      ),
    )
  }

  async function rejectUnrouted(
    requestContext: RequestContext,
    status: number,
    message: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<never> {
    await admission.admit(requestContext, undefined)
    throw new HttpError(
      failure(status, message, status === 404 ? 'NOT_FOUND' : 'METHOD_NOT_ALLOWED', headers),
    )
  }
}

/** Listed in the 404, since a caller of an unknown path needs them next. */
const paths = [...new Set(Object.values(operations).map(({ path }) => base + path))]
const noPath = `There is no such path. This service has ${paths.join(', ')}.`

/** Paths in Hono's syntax, each with its methods. */
function groupRoutesByPath(): ReadonlyMap<string, ReadonlyMap<string, OperationId>> {
  const routes = new Map<string, Map<string, OperationId>>()
  for (const { id, method, path } of Object.values(operations)) {
    // the name of a model may have slashes, which some clients do not encode
    const parameter = path.startsWith('/models/') ? ':$1{.+}' : ':$1'
    const route = base + path.replaceAll(/\{(\w+)\}/g, parameter)
    routes.set(route, (routes.get(route) ?? new Map<string, OperationId>()).set(method, id))
  }
  return routes
}

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'SIGN-IN-WITH-X',
  'X-Sign-In-With-X',
  'PAYMENT-SIGNATURE',
  'X-402-Payment',
  'X-PAYMENT',
  'Payment-Authorization',
  // headers of other clients; the star does not include Authorization
  '*',
].join(', ')

/** The Date of this second, which all its responses share. */
let formatted = { second: NaN, date: '' }

/** Headers of every response. Any page may read it, since credentials are never cookies. */
function createCommonHeaders(
  { requestId, balanceRemaining, replayed, paid }: RequestContext,
  now: number,
): Readonly<Record<string, string>> {
  const second = Math.floor(now / 1000)
  if (second !== formatted.second) formatted = { second, date: new Date(now).toUTCString() }
  return {
    date: formatted.date,
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    // all of them: a request with cookies, which the star leaves out, is not allowed anyway
    'access-control-expose-headers': '*',
    ...(replayed === true && { 'idempotent-replayed': 'true' }),
    ...paid?.headers,
    ...(balanceRemaining !== undefined && { 'x-balance-remaining': balanceRemaining }),
  }
}

function createPreflightHeaders(methods: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': allowedHeaders,
    'access-control-max-age': '86400',
  }
}
