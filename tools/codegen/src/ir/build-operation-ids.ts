import { show } from '../diagnostics.js'
import { isObject, readOwn, pointerTo } from '../document/json.js'
import { findOrigin, readNonEmpty } from './build-context.js'
import type { Context, LocatedNode } from './build-context.js'
import { methods, sentMethod } from './api.js'
import { toOperationName, deriveOperationName, uniqueNames } from './names.js'
import type { JsonObject } from '../document/json.js'
import type { Method } from './api.js'

/** Assigns unchanged identifiers first, so that a changed one never takes their names. */
export function assignOperationIds(
  context: Context,
  places: readonly Place[],
): ReadonlyMap<Place, string> {
  const written = new Map<string, Place>()
  const ids = new Map<Place, string>()
  const unique = uniqueNames()
  for (const place of places) {
    const { node, pointer } = place.operation
    const key = readNonEmpty(readOwn(node, 'operationId'))
    if (key === undefined) continue
    const other = written.get(key)
    if (other === undefined) written.set(key, place)
    else
      context.report(
        'FB4001',
        pointerTo(pointer, 'operationId'),
        show(key),
        `an id that ${sentMethod(other.method)} ${other.path} does not have`,
      )
    if (other === undefined && toOperationName(key) === key) ids.set(place, unique(key))
  }
  for (const place of places) {
    const key = readNonEmpty(readOwn(place.operation.node, 'operationId'))
    if (!ids.has(place))
      ids.set(
        place,
        unique(
          key === undefined ? deriveOperationName(place.method, place.path) : toOperationName(key),
        ),
      )
  }
  reportSharedIds(context, places)
  return ids
}

/**
 * Ids are unique among all operations (OpenAPI 3.1, Operation Object), including those in webhooks
 * and path item components, which the client does not call.
 */
function reportSharedIds(context: Context, places: readonly Place[]): void {
  const first = new Map<string, string>()
  const formatOrigin = (pointer: string): string => {
    const { file, pointer: place } = findOrigin(context, pointer)
    return `${file}#${place}`
  }
  for (const { operation } of places) {
    const id = readNonEmpty(readOwn(operation.node, 'operationId'))
    if (id !== undefined && !first.has(id)) first.set(id, formatOrigin(operation.pointer))
  }
  const { root } = context.document
  for (const [pointer, items] of [
    ['/webhooks', readOwn(root, 'webhooks')],
    ['/components/pathItems', readOwn(readOwn(root, 'components'), 'pathItems')],
  ] as const) {
    for (const [name, item] of isObject(items) ? Object.entries(items) : []) {
      for (const method of methods) {
        const id = readNonEmpty(readOwn(readOwn(item, method), 'operationId'))
        if (id === undefined) continue
        const at = pointerTo(pointer, name, method)
        const other = first.get(id)
        if (other === undefined) first.set(id, formatOrigin(at))
        else if (other !== formatOrigin(at))
          context.report(
            'FB4016',
            pointerTo(at, 'operationId'),
            show(id),
            'an id that no other operation has',
          )
      }
    }
  }
}

/** An operation and its place. */
export type Place = {
  readonly method: Method
  readonly path: string
  readonly item: LocatedNode<JsonObject>
  readonly operation: LocatedNode<JsonObject>
}
