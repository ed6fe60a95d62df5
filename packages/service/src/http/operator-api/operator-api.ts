import * as z from 'zod'
import { createKeyMatcher } from '../../domain/accounts/authenticate.js'
import { createMemoryLimits } from '../../domain/limits/limits.js'
import { readBounded } from '../../platform/bounded-body.js'
import { changeInStorage, DatabaseUnavailableError } from '../../platform/database/storage-error.js'
import type { RequestInfo } from '../request-context.js'
import {
  operatorBase,
  createOperatorDocument,
  operatorOperations,
  type OperatorOperation,
  type OperatorOperationId,
} from './operations.js'
import { type OperatorSources, invalidInput, OperatorError } from './handler-types.js'
import { createOperatorHandlers } from './handlers.js'

type OperatorApiOptions = OperatorSources & {
  /** The bearer key of the operator. */
  readonly operatorKey: string
  /** Pages beside the API, by path. They need no key and contain no data of the service. */
  readonly pages: Readonly<Record<string, () => Response>>
  readonly requestId: () => string
  readonly onError: (error: unknown, context: { readonly requestId: string }) => void
  /** Called for each change that was made. */
  readonly onChange: (change: OperatorChange) => void
}

/** A change that an operator made, without secrets. */
export type OperatorChange = {
  readonly requestId: string
  readonly operation: string
  readonly keyId?: string
  readonly account?: string
  /** The ledger entry that was written. */
  readonly entryId?: string
}

/** Never rejects. */
type OperatorApi = (request: Request, info?: RequestInfo) => Promise<Response>

type Route = {
  readonly id: OperatorOperationId
  readonly operation: OperatorOperation
  readonly pattern: RegExp
}

const routes: readonly Route[] = Object.entries<OperatorOperation>(operatorOperations).map(
  ([id, operation]) => ({
    id: id as OperatorOperationId,
    operation,
    pattern: new RegExp(
      `^${operatorBase}${operation.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`,
    ),
  }),
)

/** An address with this many wrong keys in a minute is blocked for a minute. */
const wrongKeys = { failures: 10, windowSeconds: 60, blockSeconds: 60 }

const bodyBytes = 65_536

/**
 * The operator's API, for a listener of its own. Everything but the pages and the OpenAPI document
 * needs the operator's key. Changes are rejected unless they are allowed.
 */
export function createOperatorApi(options: OperatorApiOptions): OperatorApi {
  const { operatorKey, pages, requestId, onError, onChange, allowsChanges, now } = options
  const isOperatorKey = createKeyMatcher(operatorKey)
  const handlers = createOperatorHandlers(options) as Readonly<
    Record<OperatorOperationId, (input: unknown) => Promise<unknown>>
  >
  const document = JSON.stringify(createOperatorDocument())
  const attempts = createMemoryLimits()

  return async (request, { remoteAddress = 'unknown' } = {}) => {
    const id = `op_${requestId()}`
    try {
      return await handleRequest(request, id, remoteAddress)
    } catch (error) {
      if (error instanceof OperatorError) {
        const { status, code, message } = error
        return respond(status, { error: message, code }, id, error.headers)
      }
      onError(error, { requestId: id })
      if (error instanceof DatabaseUnavailableError) {
        return respond(
          503,
          { error: 'The database does not respond at the moment.', code: 'DATABASE_UNAVAILABLE' },
          id,
          {
            'retry-after': '2',
          },
        )
      }
      return respond(
        500,
        { error: `An unknown error occurred. The log names it by ${id}.`, code: 'INTERNAL' },
        id,
      )
    }
  }

  async function handleRequest(request: Request, id: string, address: string): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (request.method === 'GET' && Object.hasOwn(pages, pathname))
      return pages[pathname]?.() ?? new Response(null, { status: 404 })
    if (request.method === 'GET' && pathname === '/openapi.json')
      return toResponse(200, document, id)
    const [, secret = ''] =
      /^Bearer +([\x21-\x7e]+) *$/i.exec(request.headers.get('authorization') ?? '') ?? []
    const time = now()
    // the correct key too, or a blocked address could find out that it is correct
    const { blockedUntil = 0 } = await attempts.read(
      { caller: address, rateClass: 'operator' },
      time,
    )
    if (blockedUntil > time) throw tooManyFailures(blockedUntil - time)
    if (!isOperatorKey(secret)) {
      const until = await attempts.fail(address, wrongKeys, time)
      if (until !== undefined) throw tooManyFailures(until - time)
      const message = 'Expected "Authorization: Bearer <KEY>" with the key in FAREBOX_OPERATOR_KEY.'
      throw new OperatorError(401, 'UNAUTHORIZED', message, { 'www-authenticate': 'Bearer' })
    }
    const { operation, id: operationId, path } = findRoute(request.method, pathname)
    if (operation.changes && !allowsChanges) {
      throw new OperatorError(
        403,
        'READ_ONLY',
        'This listener changes nothing. Start the service with --operator-changes to allow it.',
      )
    }
    // a mistyped filter would return more than was asked for
    const query = parseInput(
      'query',
      (operation.query ?? noFields).strict(),
      Object.fromEntries(searchParams),
    )
    const body = operation.body && parseInput('body', operation.body, await readJson(request))
    rejectUnstorable({ ...path, ...query, ...body })
    const result = operation.response.parse(
      await handlers[operationId]({ ...path, ...query, ...body }),
    )
    if (operation.changes) {
      onChange({ requestId: id, operation: operationId, ...describeTarget(path, result) })
    }
    return respond(200, result, id)
  }
}

/** The object of a change. */
function describeTarget(
  path: Readonly<Record<string, string>>,
  result: Readonly<Record<string, unknown>>,
): Pick<OperatorChange, 'keyId' | 'account' | 'entryId'> {
  const { entry } = result as { readonly entry?: string | { readonly id?: unknown } }
  const parts = {
    keyId: path['id'] ?? result['id'],
    account: path['account'] ?? (entry && result['account']),
    entryId: typeof entry === 'string' ? entry : entry?.id,
  }
  return Object.fromEntries(Object.entries(parts).filter(([, id]) => typeof id === 'string'))
}

function tooManyFailures(milliseconds: number): OperatorError {
  const seconds = String(Math.ceil(milliseconds / 1000))
  return new OperatorError(
    429,
    'TOO_MANY_FAILURES',
    `Too many wrong keys. Try again in ${seconds} s.`,
    { 'retry-after': seconds },
  )
}

function findRoute(method: string, pathname: string) {
  const matching = routes.flatMap((route) => {
    const match = route.pattern.exec(pathname)
    return match ? [{ ...route, path: decodePath(match.groups ?? {}) }] : []
  })
  const [first] = matching
  if (first === undefined)
    throw new OperatorError(
      404,
      'NOT_FOUND',
      `There is no such path. /openapi.json describes those below ${operatorBase}.`,
    )
  const found = matching.find(({ operation }) => operation.method === method)
  if (found) return found
  const methods = matching.map(({ operation }) => operation.method).join(', ')
  throw new OperatorError(405, 'METHOD_NOT_ALLOWED', `This path takes ${methods}.`)
}

function decodePath(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(
      Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]),
    )
  } catch {
    throw invalidInput('The path has a percent sign that encodes nothing.')
  }
}

const noFields = z.object({})

function parseInput(
  what: string,
  schema: z.ZodObject,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const place = [what, ...(issue?.path ?? [])].join('.')
  if (issue?.code === 'unrecognized_keys') {
    const known =
      place === what ? `; expected ${Object.keys(schema.shape).join(', ') || 'none'}` : ''
    throw invalidInput(`${place}: found the unknown field ${issue.keys.join(', ')}${known}.`)
  }
  throw invalidInput(`${place}: ${issue?.message ?? 'invalid'}.`)
}

/** Rejects strings that the database cannot store, before it throws an error of its own. */
function rejectUnstorable(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    const change = typeof value === 'string' ? changeInStorage(value) : undefined
    if (change !== undefined) throw invalidInput(`${name}: ${change}`)
  }
}

async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBounded(request.body, bodyBytes)
  if (bytes === undefined)
    throw new OperatorError(413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${bodyBytes} bytes.`)
  const text = Buffer.from(bytes).toString()
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown)
  } catch {
    throw invalidInput('The body is not JSON.')
  }
}

function respond(
  status: number,
  body: unknown,
  id: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return toResponse(status, JSON.stringify(body), id, headers)
}

function toResponse(
  status: number,
  body: string,
  id: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const common = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': id,
  }
  return new Response(body, { status, headers: { ...common, ...headers } })
}
