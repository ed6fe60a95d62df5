import { isObject, own, pointerTo, valueAt } from '../document/json.js'
import type { Json, JsonObject } from '../document/json.js'
import type { Document } from '../document/load.js'
import { mapMembers } from '../document/map-members.js'
import { slotOf } from '../document/shape.js'
import type { Slot } from '../document/shape.js'
import type { Filter } from './filter.js'
import { reachedFrom } from './reached.js'

/** Which operations of a document are wanted. */
export type Selection = {
  /** An operation that none of these wants is left away. Empty: all are wanted. */
  readonly include: readonly Filter[]
  /** An operation that one of these names is left away, though it is wanted. */
  readonly exclude: readonly Filter[]
  /** Leave away the components that no operation needs. Filters do so too. */
  readonly prune: boolean
}

/** A document with the operations that are wanted, and the components that these need. */
export function select(document: Document, { include, exclude, prune }: Selection): Document {
  if (include.length + exclude.length === 0 && !prune) return document
  const wanted: Filter = (candidate) =>
    (include.length === 0 || include.some((filter) => filter(candidate))) && !exclude.some((filter) => filter(candidate))
  const root = withoutComponents({ ...document.root, ...operationsOf(document.root, wanted) })
  return { ...document, root, broken: document.broken.filter((pointer) => valueAt(root, pointer) !== undefined) }
}

function operationsOf(root: JsonObject, wanted: Filter): JsonObject {
  const sections = ['paths', 'webhooks'].flatMap((section): [string, Json][] => {
    const items = own(root, section)
    return isObject(items) ? [[section, wantedIn(items, wanted)]] : []
  })
  return Object.fromEntries(sections)
}

function wantedIn(items: JsonObject, wanted: Filter): JsonObject {
  const kept = Object.entries(items).flatMap(([path, item]): [string, Json][] => {
    if (!isObject(item) || path.startsWith('x-')) return [[path, item]]
    const fields = Object.entries(item).flatMap(([field, node]) => wantedField(field, node, path, wanted))
    return fields.some(([field]) => operationSlot(field)) ? [[path, Object.fromEntries(fields)]] : []
  })
  return Object.fromEntries(kept)
}

/** A field of a path item, with the operations that are wanted; empty if it had others only. */
function wantedField(field: string, node: Json, path: string, wanted: Filter): readonly [string, Json][] {
  const slot = operationSlot(field)
  if (!slot || !isObject(node)) return [[field, node]]
  if (slot.as === 'one') return wanted({ method: field, path, node }) ? [[field, node]] : []
  const kept = Object.entries(node).filter(([method, operation]) => !isObject(operation) || wanted({ method, path, node: operation }))
  return kept.length === 0 ? [] : [[field, Object.fromEntries(kept)]]
}

/** Where a field of a path item holds operations: one, or those of further methods. */
function operationSlot(field: string): Slot | undefined {
  const slot = slotOf('pathItem', field)
  return slot?.shape === 'operation' ? slot : undefined
}

/** Security schemes stay, as requirements name them without a reference. */
function withoutComponents(root: JsonObject): JsonObject {
  const components = own(root, 'components')
  if (!isObject(components)) return root
  const reached = reachedFrom(root)
  const kept = mapMembers(components, (members, section) =>
    isObject(members) && section !== 'securitySchemes' && slotOf('components', section) !== undefined
      ? Object.fromEntries(Object.entries(members).filter(([name]) => reached.has(pointerTo('/components', section, name))))
      : members,
  )
  return { ...root, components: kept }
}
