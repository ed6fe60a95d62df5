import { own, pointerTo } from '../document/json.js'
import type { JsonObject } from '../document/json.js'
import { omitUndefined } from './build-context.js'
import type { Found } from './build-context.js'
import { readBoolean, checkRange, readCount, readList } from './build-keywords.js'
import { dropAssumption } from './build-site.js'
import type { Site } from './build-site.js'
import { inPlace } from './build-words.js'
import type { Notes, Schema } from './schema.js'

/** The array keywords (JSON Schema 2020-12, 10.3.1 and 6.4; unevaluatedItems, 11.2). */
export function arrayVariant(outer: Site, found: Found<JsonObject>, notes: Notes): Schema {
  const { context } = outer
  const { node, pointer } = found
  const site = dropAssumption(outer)
  const schema = (key: string): Schema | undefined => {
    const value = own(node, key)
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
    own(node, 'type') === 'array' &&
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
