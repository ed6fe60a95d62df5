import { show } from '../diagnostics.js'
import { isList, readOwn, pointerTo, type JsonObject } from '../document/json.js'
import { type Context, dropAssumption, type LocatedNode, type Site } from './build-context.js'
import {
  checkRange,
  readBoolean,
  readCount,
  readList,
  readPattern,
  readRequired,
  readSchemas,
} from './build-keywords.js'
import { inPlace } from '../document/types/keywords.js'
import type { Notes, Property, Schema } from './schema.js'
import { omitUndefined } from './schema.js'

/** The object keywords (JSON Schema 2020-12, 10.3.2, 10.2.2.4, 6.5; unevaluated, 11.3). */
export function buildObjectVariant(
  outer: Site,
  found: LocatedNode<JsonObject>,
  notes: Notes,
): Schema {
  const { context } = outer
  const { node, pointer } = found
  const site = dropAssumption(outer)
  const schema = (key: string): Schema | undefined => {
    const value = readOwn(node, key)
    return value === undefined
      ? undefined
      : site.build(site, { node: value, pointer: pointerTo(pointer, key) })
  }
  const required = new Set(readRequired(context, found))
  const properties = readSchemas(context, found, 'properties').map((property): Property =>
    Object.freeze({
      name: property.name,
      schema: site.build(site, property),
      required: required.has(property.name),
    }),
  )
  const named = new Set(properties.map(({ name }) => name))
  const [minProperties, maxProperties] = [
    readCount(context, found, 'minProperties'),
    readCount(context, found, 'maxProperties'),
  ]
  checkRange(context, found, ['minProperties', minProperties], ['maxProperties', maxProperties])

  // Beside $ref, allOf and the like, an `unevaluated` node around this one covers the rest.
  const rest = inPlace.some((word) => Object.hasOwn(node, word))
    ? undefined
    : schema('unevaluatedProperties')
  const stated = schema('additionalProperties') ?? rest
  return Object.freeze({
    kind: 'object',
    notes,
    properties: Object.freeze(properties),
    alsoRequired: Object.freeze([...required].filter((name) => !named.has(name))),
    patterns: Object.freeze(readPatterns(site, found)),
    additional: stated ?? Object.freeze({ kind: 'any' as const, notes: { origin: notes.origin } }),
    dependentRequired: Object.freeze(readDependentRequired(context, found)),
    dependentSchemas: Object.freeze(
      readSchemas(context, found, 'dependentSchemas').map((dependent) =>
        Object.freeze({
          name: dependent.name,
          schema: site.build({ ...site, assumed: new Set(['object'] as const) }, dependent),
        }),
      ),
    ),
    ...omitUndefined({
      propertyNames: buildPropertyNames(site, found),
      minProperties,
      maxProperties,
      additionalStated: stated?.kind === 'any' ? (true as const) : undefined,
    }),
  })
}

/** A name is always a string, so keywords for other types have no effect. */
function buildPropertyNames(
  site: Site,
  { node, pointer }: LocatedNode<JsonObject>,
): Schema | undefined {
  const value = readOwn(node, 'propertyNames')
  return value === undefined
    ? undefined
    : site.build(
        { ...site, assumed: new Set(['string'] as const) },
        { node: value, pointer: pointerTo(pointer, 'propertyNames') },
      )
}

function readPatterns(
  site: Site,
  found: LocatedNode<JsonObject>,
): readonly { readonly pattern: string; readonly schema: Schema }[] {
  // reported at the keyword, since leaving out the schema below the pattern would not help
  if (readOwn(found.node, 'patternProperties') === undefined) return []
  const keyword = pointerTo(found.pointer, 'patternProperties')
  return readSchemas(site.context, found, 'patternProperties').flatMap((schema) => {
    const pattern = readPattern(site.context, schema.pointer, schema.name, 'FB3005', keyword)
    return pattern === undefined
      ? []
      : [Object.freeze({ pattern, schema: site.build(site, schema) })]
  })
}

function readDependentRequired(
  context: Context,
  found: LocatedNode<JsonObject>,
): readonly { readonly name: string; readonly requires: readonly string[] }[] {
  return readSchemas(context, found, 'dependentRequired').flatMap(({ name, node, pointer }) => {
    if (isList(node) && node.every((item) => typeof item === 'string'))
      return [Object.freeze({ name, requires: Object.freeze([...node]) })]
    context.report('FB3002', pointer, show(node), 'an array of property names')
    return []
  })
}

/** The array keywords (JSON Schema 2020-12, 10.3.1 and 6.4; unevaluatedItems, 11.2). */
export function buildArrayVariant(
  outer: Site,
  found: LocatedNode<JsonObject>,
  notes: Notes,
): Schema {
  const { context } = outer
  const { node, pointer } = found
  const site = dropAssumption(outer)
  const schema = (key: string): Schema | undefined => {
    const value = readOwn(node, key)
    return value === undefined
      ? undefined
      : site.build(site, { node: value, pointer: pointerTo(pointer, key) })
  }
  const prefix = (readList(context, found, 'prefixItems') ?? []).map((item, index) =>
    site.build(site, { node: item, pointer: pointerTo(pointer, 'prefixItems', index) }),
  )
  const [minItems, maxItems] = [
    readCount(context, found, 'minItems'),
    readCount(context, found, 'maxItems'),
  ]
  checkRange(context, found, ['minItems', minItems], ['maxItems', maxItems])

  // Beside $ref, allOf and the like, an `unevaluated` node around this one covers the rest.
  const unevaluated =
    inPlace.some((word) => Object.hasOwn(node, word)) || Object.hasOwn(node, 'items')
      ? undefined
      : schema('unevaluatedItems')
  const contained = schema('contains')
  const contains =
    contained &&
    Object.freeze({
      schema: contained,
      min: readCount(context, found, 'minContains') ?? 1,
      ...omitUndefined({ max: readCount(context, found, 'maxContains') }),
    })
  if (
    context.document.version === '3.0' &&
    readOwn(node, 'type') === 'array' &&
    !Object.hasOwn(node, 'items')
  )
    context.report('FB3013', pointer, 'no items', 'a schema for the elements')
  const stated = schema('items') ?? (contains === undefined ? unevaluated : undefined)
  const items = stated ?? Object.freeze({ kind: 'any' as const, notes: { origin: notes.origin } })
  const itemsStated = stated?.kind === 'any' ? (true as const) : undefined
  return Object.freeze({
    kind: 'array',
    notes,
    prefix: Object.freeze(prefix),
    items,
    unique: readBoolean(context, found, 'uniqueItems') === true,
    ...omitUndefined({
      contains,
      minItems,
      maxItems,
      unevaluated: contains === undefined ? undefined : unevaluated,
      itemsStated,
    }),
  })
}
