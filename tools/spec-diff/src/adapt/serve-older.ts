import { admits, sentMethod, type Json, type Operation } from '@farebox/codegen/model'
import type { Contract } from '../compare/contracts.js'
import { createSides } from '../difference/side.js'
import type { VersionedSchema } from '../values/signature.js'
import { adaptValue } from './adapt-value.js'

/** Handles a request as a service of one version. */
export type Serve = (request: Request) => Promise<Response>

/**
 * Serves callers of an older version with a service of a newer one. JSON bodies of requests are
 * converted to the newer version, JSON bodies of responses to the older one. Other bodies,
 * parameters, undeclared statuses and requests that the older version does not allow pass
 * unchanged.
 *
 * @throws AdaptError for a body that has no counterpart. The comparison of the two versions names
 * such changes: their witness has no `adapted` value.
 */
export function serveOlder(older: Contract, newer: Contract, serve: Serve): Serve {
  const { base, head } = createSides(older.api, newer.api)
  const pairs = older.api.operations.flatMap((before) => {
    const after = newer.api.operations.find(({ id }) => id === before.id)
    return after === undefined ? [] : [{ before, after, matches: createMatcher(before) }]
  })
  return async (request) => {
    const pair = pairs.find(({ matches }) => matches(request))
    if (pair === undefined) return serve(request)
    const { before, after } = pair
    const sent = await adaptBody(
      request,
      findBodySchema(before),
      findBodySchema(after),
      base.resolve,
      head.resolve,
    )
    const response = await serve(sent)
    const [from, to] = [
      findResponseSchema(after, response.status),
      findResponseSchema(before, response.status),
    ]
    if (from === undefined || to === undefined || !isJson(response.headers)) return response
    const value = adaptValue(
      (await response.json()) as Json,
      { schema: from, resolve: head.resolve },
      { schema: to, resolve: base.resolve },
    )
    return new Response(JSON.stringify(value), {
      status: response.status,
      headers: removeContentLength(response.headers),
    })
  }
}

async function adaptBody(
  request: Request,
  from: VersionedSchema['schema'] | undefined,
  to: VersionedSchema['schema'] | undefined,
  older: VersionedSchema['resolve'],
  newer: VersionedSchema['resolve'],
): Promise<Request> {
  if (from === undefined || to === undefined || request.body === null || !isJson(request.headers))
    return request
  const sent = await request.text()
  const value = parseJson(sent)
  // the service itself rejects what neither version allows
  const isValid = value !== undefined && admits(from, value, older)
  const body = isValid
    ? JSON.stringify(
        adaptValue(value, { schema: from, resolve: older }, { schema: to, resolve: newer }),
      )
    : sent
  return new Request(request.url, {
    method: request.method,
    headers: removeContentLength(request.headers),
    body,
  })
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function createMatcher({ method, path }: Operation): (request: Request) => boolean {
  const pattern = path
    .split(/\{[^}]*\}/)
    .map(escapePattern)
    .join('[^/]+')
  const wanted = new RegExp(`${pattern}/?$`)
  return (request) =>
    request.method === sentMethod(method) && wanted.test(new URL(request.url).pathname)
}

function findBodySchema({ body }: Operation) {
  return body?.contents.find(({ mediaType }) => mediaType === 'application/json')?.schema
}

function findResponseSchema({ responses }: Operation, status: number) {
  const range = `${Math.floor(status / 100)}XX`
  const declared = [status, range, 'default']
    .map((key) => responses.find((response) => response.status === key))
    .find(Boolean)
  return declared?.contents.find(({ mediaType }) => mediaType === 'application/json')?.schema
}

function isJson(headers: Headers): boolean {
  return (
    (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ===
    'application/json'
  )
}

function removeContentLength(headers: Headers): Headers {
  const kept = new Headers(headers)
  kept.delete('content-length')
  return kept
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}

export type VersionsOptions = {
  /** The version that the service implements. */
  readonly newest: Contract
  readonly older: readonly Contract[]
  readonly serve: Serve
  /**
   * The version that a caller is pinned to, as `info.version` has it, by a header or by its key.
   * Null: the newest one. Default: the header `contract-version`.
   */
  readonly versionOf?: (request: Request) => string | null | Promise<string | null>
}

/**
 * Serves several versions of a contract side by side, each caller the one that it is pinned to. A
 * request for an unknown version gets status 400 with the list of known ones.
 *
 * @throws AdaptError for a body without a counterpart, as `serveOlder` does.
 */
export function serveVersions({
  newest,
  older,
  serve,
  versionOf = readVersionHeader,
}: VersionsOptions): Serve {
  const served = new Map([
    [newest.api.version, serve],
    ...older.map((one) => [one.api.version, serveOlder(one, newest, serve)] as const),
  ])
  return async (request) => {
    const wanted = (await versionOf(request)) ?? newest.api.version
    const version = served.get(wanted)
    if (version !== undefined) return version(request)
    const expected = [...served.keys()].toSorted().join(' or ')
    return Response.json(
      { error: `This version of the contract is not served.`, found: wanted, expected },
      { status: 400 },
    )
  }
}

function readVersionHeader({ headers }: Request): string | null {
  return headers.get('contract-version')
}
