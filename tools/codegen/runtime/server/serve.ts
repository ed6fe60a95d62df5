import { Hono, type Context, type Env } from 'hono'
import { decodeParameters } from './decode-parameters.js'
import type { OperationFacts, Place, Problem } from './operation-facts.js'
import { findProblems } from './problems.js'
import { readBody } from './read-body.js'
import { RejectedRequest } from './rejected-request.js'
import { createRouter } from './router.js'
import type { Shapes } from './shape.js'
import { writeResponse, type AnyResponse } from './write-response.js'

export type ServerOptions<E extends Env = Env> = {
  /** The prefix of every path, such as `/v1`. Default: none. */
  readonly basePath?: string
  /**
   * The largest body in bytes, and the largest item of a body of items. Default 16 MiB. A larger
   * one is rejected with status 413.
   */
  readonly maxBodyBytes?: number
  /**
   * Makes the response to a request that no handler gets. `operation` is absent if there is none.
   * Default: JSON with the field `problems`. The header Allow is set in any case.
   */
  readonly reject?: (
    rejected: RejectedRequest,
    context: Context<E>,
    operation?: OperationFacts,
  ) => Response | Promise<Response>
  /**
   * Called for each request of an operation, before its parameters and body are read. A response
   * that it returns is sent, and no handler is called. Check credentials here.
   */
  readonly before?: (
    operation: OperationFacts,
    context: Context<E>,
  ) => Response | undefined | Promise<Response | undefined>
}

type Handler = (request: never, context: never) => unknown

/** Serves every operation by the handler of its id. */
export function serve<E extends Env>(
  operations: readonly OperationFacts[],
  shapes: Shapes,
  handlers: Readonly<Record<string, Handler>>,
  {
    basePath = '',
    maxBodyBytes: maxBytes = 2 ** 24,
    reject = respondWithProblems,
    before,
  }: ServerOptions<E> = {},
): Hono<E> {
  const find = createRouter(operations)
  const prefix = basePath.replace(/\/+$/, '')
  const respond = async (context: Context<E>): Promise<Response> => {
    const url = new URL(context.req.url)
    const path = url.pathname
    const { routes, allow } =
      path === prefix || path.startsWith(`${prefix}/`)
        ? find(context.req.method, path.slice(prefix.length), url.search.slice(1))
        : { routes: [], allow: [] }
    const read = routes.map(({ operation, texts }) => ({
      operation,
      texts,
      parameters: memoize(() => readParameters(operation, texts, url, context.req.raw, shapes)),
    }))
    const [first] = read
    const found = read.length > 1 ? (chooseClosest(read) ?? first) : first
    if (found === undefined)
      return rejectRequest(context, createRoutingError(context.req.method, allow))
    const { operation, parameters } = found
    const ended = await before?.(operation, context)
    if (ended !== undefined) return ended
    try {
      const { values, problems } = parameters()
      if (problems.length > 0) throw new RejectedRequest(400, problems)
      const request = {
        ...values,
        ...(await readBody(operation, { request: context.req.raw, maxBytes, shapes })),
      }
      const handler = handlers[operation.id] as (request: object, context: Context<E>) => unknown
      return writeResponse(operation, (await handler(request, context)) as AnyResponse)
    } catch (error) {
      if (error instanceof RejectedRequest) return rejectRequest(context, error, operation)
      throw error
    }
  }
  const rejectRequest = async (
    context: Context<E>,
    error: RejectedRequest,
    operation?: OperationFacts,
  ): Promise<Response> => {
    const response = await reject(error, context, operation)
    if (error.allow === undefined) return response
    const headers = new Headers(response.headers)
    headers.set('allow', error.allow.join(', '))
    return new Response(response.body, { status: response.status, headers })
  }
  // Not chained, as the compiler would compare two types of an app in all of their members.
  const app = new Hono<E>()
  app.all('*', respond)
  return app
}

type ParsedParameters = { readonly values: Values; readonly problems: readonly Problem[] }

function readParameters(
  operation: OperationFacts,
  texts: Readonly<Record<string, string>>,
  { search }: URL,
  { headers }: Request,
  shapes: Shapes,
): ParsedParameters {
  const { values, problems } = decodeParameters(
    operation,
    { path: texts, query: search.slice(1), headers },
    shapes,
  )
  return { values, problems: [...problems, ...validatePlaces(operation, values, problems)] }
}

/**
 * Of operations whose paths differ only in a fragment, the one whose parameters are valid, and of
 * those the one that takes most of what was sent.
 */
function chooseClosest<Entry extends { readonly parameters: () => ParsedParameters }>(
  read: readonly Entry[],
): Entry | undefined {
  let best: Entry | undefined
  let most = -1
  for (const one of read) {
    const { values, problems } = one.parameters()
    const count = Object.values(values).flatMap((value) =>
      Object.keys(Object(value) as object),
    ).length
    if (problems.length > 0 || count <= most) continue
    best = one
    most = count
  }
  return best
}

function memoize<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

/** A parameter that could not be read is not said to be missing as well. */
function validatePlaces(
  { valid, parameters }: OperationFacts,
  values: Values,
  problems: readonly Problem[],
): readonly Problem[] {
  const isWanted = parameters.some(({ required }) => required)
  return places.flatMap((place) => {
    const validator = valid[place]
    if (
      validator === undefined ||
      (place === 'querystring' && values[place] === undefined && !isWanted)
    )
      return []
    const value = place === 'querystring' ? values[place] : (values[place] ?? {})
    return findProblems(place, validator, value).filter(
      ({ where }) => !problems.some((known) => known.where === where),
    )
  })
}

type Values = Readonly<Partial<Record<Place, unknown>>>

const places = ['path', 'query', 'querystring', 'headers', 'cookies'] as const

function createRoutingError(method: string, allow: readonly string[]): RejectedRequest {
  if (allow.length === 0)
    return new RejectedRequest(404, [
      { where: 'path', found: 'no path of this document', expected: 'a path of this document' },
    ])
  return new RejectedRequest(
    405,
    [{ where: 'method', found: JSON.stringify(method), expected: allow.join(' or ') }],
    allow,
  )
}

function respondWithProblems({ status, problems }: RejectedRequest): Response {
  return Response.json({ problems }, { status })
}
