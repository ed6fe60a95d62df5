import { show } from '../diagnostics.js'
import { isList, own, pointerTo } from '../document/json.js'
import type { Json, JsonObject } from '../document/json.js'
import type { Method, Operation, SecurityScheme } from './api.js'
import { buildBody } from './build-body.js'
import type { Lookup } from './build-body.js'
import { entriesOf, given, itemsOf, object, originOf, text, withoutExtensions } from './build-context.js'
import type { Context, Found } from './build-context.js'
import { buildFacts } from './build-facts.js'
import { booleanOf } from './build-keywords.js'
import { operationIds } from './build-operation-ids.js'
import { methods } from './build-operation-place.js'
import type { Place } from './build-operation-place.js'
import { buildParameters, settleFields, withTemplates } from './build-parameters.js'
import { buildResponses } from './build-responses.js'

/** Methods that may be repeated without further effect (RFC 9110, section 9.2.2). */
const idempotent: ReadonlySet<Method> = new Set<Method>(['get', 'put', 'delete', 'options', 'head', 'trace'])

/** All operations in the order of the document. */
export function buildOperations(context: Context, schemes: readonly SecurityScheme[], lookup: Lookup): readonly Operation[] {
  const places = placesOf(context)
  const ids = operationIds(context, places)
  return Object.freeze(places.map((place) => buildOperation(context, place, ids.get(place) ?? '', schemes, lookup)))
}

function placesOf(context: Context): readonly Place[] {
  return withoutExtensions(entriesOf(context, context.document.root, 'paths', '')).flatMap(([path, value]) => {
    const pointer = pointerTo('/paths', path)
    if (!path.startsWith('/')) context.report('FB4011', pointer, show(path), show(`/${path}`))
    const item = object(context, { node: value, pointer })
    return methods.flatMap((method): Place[] => {
      const value = item && own(item.node, method)
      const operation = value === undefined ? undefined : object(context, { node: value, pointer: pointerTo(pointer, method) })
      return item === undefined || operation === undefined ? [] : [{ method, path, item, operation }]
    })
  })
}

function buildOperation(
  context: Context,
  { method, path, item, operation }: Place,
  id: string,
  schemes: readonly SecurityScheme[],
  lookup: Lookup,
): Operation {
  const { node, pointer } = operation
  const parameters = withTemplates(context, path, pointer, buildParameters(context, item, operation, schemes))
  const body = buildBody(context, own(node, 'requestBody'), pointerTo(pointer, 'requestBody'), lookup)
  const responses = buildResponses(context, operation)
  const extensions = buildFacts(context, operation, responses)
  const repeatable = own(extensions, 'x-idempotent')
  return Object.freeze({
    id,
    method,
    path,
    tags: Object.freeze(itemsOf(context, node, 'tags', pointer).filter((tag) => typeof tag === 'string')),
    deprecated: booleanOf(context, operation, 'deprecated') === true,
    security: securityOf(context, operation, schemes),
    idempotent: typeof repeatable === 'boolean' ? repeatable : idempotent.has(method),
    parameters: settleFields(context, pointer, parameters, body === undefined ? [] : body.flatten === 'body' ? ['body'] : body.fields),
    responses,
    extensions,
    origin: originOf(context, pointer),
    ...given({
      key: text(own(node, 'operationId')),
      summary: text(own(node, 'summary')) ?? text(own(item.node, 'summary')),
      description: text(own(node, 'description')) ?? text(own(item.node, 'description')),
      body,
    }),
  })
}

/** The operation's own requirement, or else the document's. Without any, every caller meets it. */
function securityOf(
  context: Context,
  { node, pointer }: Found<JsonObject>,
  schemes: readonly SecurityScheme[],
): readonly (readonly string[])[] {
  const local = own(node, 'security') !== undefined
  const at = pointerTo(local ? pointer : '', 'security')
  const requirements = itemsOf(context, local ? node : context.document.root, 'security', local ? pointer : '')
  const sets = requirements.map((requirement, index) => namesIn(context, requirement, pointerTo(at, index), schemes))
  return Object.freeze(sets.length === 0 ? [Object.freeze([])] : sets)
}

function namesIn(context: Context, requirement: Json, pointer: string, schemes: readonly SecurityScheme[]): readonly string[] {
  const names = isList(requirement) ? [] : Object.keys(object(context, { node: requirement, pointer })?.node ?? {})
  for (const name of names) {
    if (!schemes.some((scheme) => scheme.name === name)) {
      context.report(
        'FB4004',
        pointer,
        show(name),
        schemes.length === 0 ? 'a scheme; the document has none' : schemes.map((scheme) => scheme.name).join(' or '),
      )
    }
  }
  return Object.freeze(names)
}
