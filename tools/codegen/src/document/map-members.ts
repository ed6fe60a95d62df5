import { isList, isObject } from './json.js'
import type { Json, JsonObject } from './json.js'
import { findSlot } from './shape.js'
import type { Shape } from './shape.js'

/** Maps the objects within a node of a shape. Returns the node itself if nothing changes. */
export function mapSlots(
  node: JsonObject,
  shape: Shape,
  map: (child: Json, shape: Shape) => Json,
): JsonObject {
  return mapMembers(node, (value, key) => {
    const slot = findSlot(shape, key)
    if (slot === undefined) return value
    if (slot.as === 'one') return map(value, slot.shape)
    if (slot.as === 'list')
      return isList(value) ? mapItems(value, (item) => map(item, slot.shape)) : value
    return isObject(value) ? mapMembers(value, (item) => map(item, slot.shape)) : value
  })
}

/** Maps the values of an object. Usually nothing changes; then returns the object itself. */
export function mapMembers(node: JsonObject, map: (value: Json, key: string) => Json): JsonObject {
  let changes: Map<string, Json> | undefined
  for (const key of Object.keys(node)) {
    const value = node[key] as Json
    const mapped = map(value, key)
    if (mapped !== value) (changes ??= new Map<string, Json>()).set(key, mapped)
  }
  return changes === undefined
    ? node
    : Object.fromEntries(
        Object.entries(node).map(([key, value]) => [key, changes.get(key) ?? value]),
      )
}

/** Maps the items of a list. Returns the list itself if nothing changes. */
export function mapItems(items: readonly Json[], map: (item: Json) => Json): readonly Json[] {
  let changed = false
  const mapped = items.map((item) => {
    const other = map(item)
    changed ||= other !== item
    return other
  })
  return changed ? mapped : items
}
