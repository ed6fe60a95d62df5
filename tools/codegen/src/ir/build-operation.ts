import { show } from '../diagnostics.js'
import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  readOwn,
  pointerTo,
} from '../document/json.js'
import {
  type Method,
  methods,
  type Operation,
  type PaymentInfo,
  type Response,
  type SecurityScheme,
  sentMethod,
} from './api.js'
import { buildBody, buildResponses, settleBody } from './build-messages.js'
import {
  type Context,
  findOrigin,
  type LocatedNode,
  readObject,
  readEntries,
  readExtensions,
  readItems,
  skipExtensions,
  readNonEmpty,
} from './build-context.js'
import { readBoolean } from './build-keywords.js'
import { assignOperationIds, type Place } from './build-operation-ids.js'
import { buildParameters, settleFields, matchTemplates } from './build-parameters.js'
import { readSecurity } from './build-security.js'
import { buildServers } from './build-servers.js'
import { omitUndefined } from './schema.js'

/** Methods that may be repeated without further effect (RFC 9110, section 9.2.2). */
const idempotent: ReadonlySet<Method> = new Set<Method>([
  'get',
  'put',
  'delete',
  'options',
  'head',
  'trace',
  'query',
])

/** All operations in the order of the document. */
export function buildOperations(
  context: Context,
  schemes: readonly SecurityScheme[],
): readonly Operation[] {
  const places = findPlaces(context)
  reportEqualPaths(context, places)
  const ids = assignOperationIds(context, places)
  return Object.freeze(
    places.map((place) => {
      const id = ids.get(place) ?? ''
      return context.reuse.findOperation(place, id) ?? buildOperation(context, place, id, schemes)
    }),
  )
}

function findPlaces(context: Context): readonly Place[] {
  const paths = skipExtensions(readEntries(context, context.document.root, 'paths', ''))
  reportQueries(context, paths)
  return paths.flatMap(([path, value]) => {
    const pointer = pointerTo('/paths', path)
    if (!path.startsWith('/')) context.report('FB4011', pointer, show(path), show(`/${path}`))
    const item = readObject(context, { node: value, pointer })
    if (item === undefined) return []
    const fixed = methods.flatMap((method) =>
      createPlace(
        context,
        path,
        item,
        method,
        readOwn(item.node, method),
        pointerTo(pointer, method),
      ),
    )
    return [...fixed, ...findAdditionalPlaces(context, path, item)]
  })
}

/** In one diagnostic: all paths of AWS are of this kind. */
function reportQueries(context: Context, paths: readonly (readonly [string, Json])[]): void {
  const [first, ...others] = paths.map(([path]) => path).filter((path) => /[?#]/.test(path))
  if (first !== undefined)
    context.report(
      'FB4036',
      pointerTo('/paths', first),
      others.length === 0 ? show(first) : `${show(first)} and ${others.length} more`,
      'a path; the client sends the part before #, and a query after ?',
    )
}

/** In one diagnostic too: paths of Google are of this kind. */
function reportEqualPaths(context: Context, places: readonly Place[]): void {
  const known = new Map<string, string>()
  const equal = places.flatMap(({ method, path, operation }) => {
    if (/[?#]/.test(path)) return []
    const route = `${method} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`
    const first = known.get(route)
    if (first === undefined) known.set(route, path)
    return first === undefined || first === path
      ? []
      : [{ pointer: operation.pointer, found: `${show(path)} beside ${show(first)}` }]
  })
  const [first, ...others] = equal
  if (first !== undefined)
    context.report(
      'FB4040',
      first.pointer,
      others.length === 0 ? first.found : `${first.found}, and ${others.length} more`,
      'paths that differ in more than names; the generated server asks the first whose rules a request meets',
    )
}

function createPlace(
  context: Context,
  path: string,
  item: LocatedNode<JsonObject>,
  method: Method,
  value: Json | undefined,
  pointer: string,
): readonly Place[] {
  const operation = value === undefined ? undefined : readObject(context, { node: value, pointer })
  if (operation && /^(?:connect|trace|track)$/i.test(method))
    context.report('FB4035', pointer, show(method), 'a method that fetch sends')
  return operation === undefined ? [] : [{ method, path, item, operation }]
}

/** The operations of other methods, by their methods as they are sent (OpenAPI 3.2). */
function findAdditionalPlaces(
  context: Context,
  path: string,
  item: LocatedNode<JsonObject>,
): readonly Place[] {
  return readEntries(context, item.node, 'additionalOperations', item.pointer).flatMap(
    ([method, value]) => {
      const pointer = pointerTo(item.pointer, 'additionalOperations', method)
      const field = methods.find((known) => sentMethod(known) === method)
      if (field !== undefined)
        context.report('FB4031', pointer, show(method), `the field ${show(field)}`)
      else if (!token.test(method))
        context.report('FB4034', pointer, show(method), 'a method such as COPY')
      else return createPlace(context, path, item, method, value, pointer)
      return []
    },
  )
}

/** What a method may be (RFC 9110, section 5.6.2). */
const token = /^[!#$%&'*+\-.^_`|~\w]+$/

function buildOperation(
  context: Context,
  { method, path, item, operation }: Place,
  id: string,
  schemes: readonly SecurityScheme[],
): Operation {
  const { node, pointer } = operation
  const { security, scopes } = readSecurity(context, operation, schemes)
  const needed = schemes.filter(({ name }) => security.some((set) => set.includes(name)))
  const parameters = settleFields(
    context,
    pointer,
    matchTemplates(
      context,
      path.replace(/#.*/s, ''),
      pointer,
      buildParameters(context, item, operation, needed),
    ),
  )
  const body = readBody(context, method, operation)
  const responses = buildResponses(context, operation, method)
  const extensions = buildFacts(context, operation, responses)
  const servers = buildServers(context, operation)
  const repeatable = readOwn(extensions, 'x-idempotent')
  return Object.freeze({
    id,
    method,
    path,
    tags: Object.freeze(
      readItems(context, node, 'tags', pointer).filter((tag) => typeof tag === 'string'),
    ),
    deprecated: readBoolean(context, operation, 'deprecated') === true,
    security,
    servers: servers.length > 0 ? servers : buildServers(context, item),
    idempotent: typeof repeatable === 'boolean' ? repeatable : idempotent.has(method),
    parameters,
    responses,
    extensions,
    origin: findOrigin(context, pointer),
    ...omitUndefined({
      scopes,
      key: readNonEmpty(readOwn(node, 'operationId')),
      summary:
        readNonEmpty(readOwn(node, 'summary')) ?? readNonEmpty(readOwn(item.node, 'summary')),
      description:
        readNonEmpty(readOwn(node, 'description')) ??
        readNonEmpty(readOwn(item.node, 'description')),
      body: body && settleBody(context, pointer, body, parameters),
      payment: buildPayment(readOwn(extensions, 'x-payment-info')),
    }),
  })
}

/** Fetch sends no body with GET and HEAD. OpenAPI 3.0 ignores it (3.0.4, "Operation Object"). */
function readBody(
  context: Context,
  method: Method,
  { node, pointer }: LocatedNode<JsonObject>,
): ReturnType<typeof buildBody> {
  const body = readOwn(node, 'requestBody')
  const at = pointerTo(pointer, 'requestBody')
  // a malformed body costs its operation, whatever the method
  const built = buildBody(context, body, at)
  if (body === undefined || !/^(?:get|head)$/i.test(method)) return built
  context.report('FB4037', at, 'a body', `no body with ${sentMethod(method)}`)
  return undefined
}

type Fact = {
  readonly expected: string
  readonly holds: (value: Json, responses: readonly Response[]) => boolean
}

/** The `x-` fields of an operation that generated code acts on. */
const facts: Readonly<Record<string, Fact>> = {
  'x-idempotent': { expected: 'true or false', holds: (value) => typeof value === 'boolean' },
  'x-rate-limit': {
    expected: 'the name of a class of limits',
    holds: (value) => typeof value === 'string',
  },
  'x-price-usd': {
    expected: 'a number of USD',
    holds: (value) => typeof value === 'number' && value >= 0,
  },
  'x-max-file-bytes': {
    expected: 'a number of bytes for each field that takes a file',
    holds: (value) =>
      isObject(value) &&
      Object.values(value).every((bytes) => Number.isSafeInteger(bytes) && Number(bytes) > 0),
  },
  'x-payment-info': {
    expected: 'a payment (`amount`, `currency`, `intent`, `method`), or `offers` with these',
    holds: (value) =>
      isObject(value) && (isList(value['offers']) ? value['offers'] : [value]).every(isPayment),
  },
  'x-max-body-bytes': {
    expected: 'a number of bytes',
    holds: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  },
  'x-discovery': {
    expected: 'a status that the operation declares',
    holds: (value, responses) => responses.some(({ status }) => status === value),
  },
}

function isPayment(value: Json): boolean {
  if (!isObject(value)) return false
  const { amount } = value
  return amount == null || (typeof amount === 'string' && /^(?:0|[1-9]\d*)$/.test(amount))
}

/** The `x-` fields of an operation. A fact with an invalid value is reported and left out. */
function buildFacts(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
  responses: readonly Response[],
): Readonly<Record<string, Json>> {
  const isValid = ([name, value]: readonly [string, Json]) => {
    const fact = Object.hasOwn(facts, name) ? facts[name] : undefined
    if (fact === undefined || fact.holds(value, responses)) return true
    context.report('FB4017', pointerTo(pointer, name), show(value), fact.expected)
    return false
  }
  return Object.freeze(Object.fromEntries(Object.entries(readExtensions(node)).filter(isValid)))
}

type Range = { readonly min: number | undefined; readonly max: number | undefined }

/** The payment of an operation with `x-payment-info`. */
function buildPayment(info: Json | undefined): PaymentInfo | undefined {
  if (!isObject(info)) return undefined
  const { offers, price, protocols } = info
  const ranges = isObject(price)
    ? [readPrice(price)]
    : (isList(offers) ? offers : [info]).map(readOffer)
  const mins = ranges.map(({ min }) => min)
  const maxes = ranges.map(({ max }) => max)
  const min = mins.every((value) => value !== undefined) ? Math.min(...mins) : undefined
  const max = maxes.every((value) => value !== undefined) ? Math.max(...maxes) : undefined
  return {
    ...(max !== undefined && { maxUsd: max }),
    ...(max !== undefined && info['amount'] !== null && { capUsd: max }),
    ...(min !== undefined && min !== max && { minUsd: min }),
    protocols: isList(protocols) ? protocols.filter((name) => typeof name === 'string') : [],
  }
}

/** `{ mode: 'fixed', amount }` or `{ mode: 'dynamic', min?, max? }`, in USD by default. */
function readPrice({ currency = 'USD', amount, min, max }: Readonly<Record<string, Json>>): Range {
  if (currency !== 'USD' && currency !== 'USDC') return unknown
  const fixed = readDecimal(amount)
  return fixed === undefined
    ? { min: readDecimal(min), max: readDecimal(max) }
    : { min: fixed, max: fixed }
}

/** `amount` is in units of the token: USDC has six decimals, and those of others are unknown. */
function readOffer(offer: Json): Range {
  if (!isObject(offer) || offer['currency'] !== 'USDC') return unknown
  const units = readDecimal(offer['amount'])
  const usd = units === undefined ? undefined : units / 1e6
  return { min: usd, max: usd }
}

const unknown: Range = { min: undefined, max: undefined }

function readDecimal(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
  return typeof number === 'number' && number >= 0 && Number.isFinite(number) ? number : undefined
}
