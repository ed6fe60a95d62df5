import { isList, isObject } from './json.js'
import type { Json, JsonObject } from './json.js'
import { slotOf } from './shape.js'
import type { Shape } from './shape.js'

/**
 * Copies a document without values of a wrong type, such as a text in place of a response or a
 * number as its summary. A library may rely on the types that OpenAPI names.
 */
export function wellFormed(document: JsonObject): JsonObject {
  return copied(document, 'document') as JsonObject
}

/** Fields that are texts in every object that has them. */
const texts = new Set(['$ref', 'title', 'summary', 'description', 'operationId', 'name', 'in', 'format', 'pattern', 'style'])

/** Undefined where the value is none of its shape. */
function copied(value: Json, shape: Shape): Json | undefined {
  if (shape === 'schema' && typeof value === 'boolean') return value
  if (!isObject(value)) return undefined
  return keep(Object.entries(value), (item, key) => {
    const slot = slotOf(shape, key)
    if (slot === undefined) return texts.has(key) && typeof item !== 'string' ? undefined : item
    if (slot.as === 'one') return copied(item, slot.shape)
    if (slot.as === 'map') return isObject(item) ? keep(Object.entries(item), (member) => copied(member, slot.shape)) : undefined
    return isList(item) ? item.flatMap((member) => copied(member, slot.shape) ?? []) : undefined
  })
}

function keep(entries: readonly (readonly [string, Json])[], map: (value: Json, key: string) => Json | undefined): JsonObject {
  const kept = entries.flatMap(([key, value]): [string, Json][] => {
    const mapped = map(value, key)
    return mapped === undefined ? [] : [[key, mapped]]
  })
  return Object.fromEntries(kept)
}
