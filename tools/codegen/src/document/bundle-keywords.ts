import { show } from '../diagnostics.js'
import type { BundleRun } from './bundle-run.js'
import { spotPlace } from './component-names.js'
import type { Spot } from './component-names.js'
import { isList, isObject, own, pointerTo } from './json.js'
import type { Json, JsonObject } from './json.js'

/** A discriminator whose mapping names the components of the bundle. */
export function copyDiscriminator({ names, resolve }: BundleRun, value: Json, from: Spot): Json {
  const mapping = own(value, 'mapping')
  if (!isObject(mapping)) return value
  const mapped = Object.entries(mapping).map(([tag, target]): [string, Json] => {
    if (typeof target !== 'string') return [tag, target]
    if (names.isTaken('schemas', target)) return [tag, pointerTo('#/components/schemas', target)]
    const at = { source: from.source, pointer: pointerTo(from.pointer, 'mapping', tag) }
    const resolved = resolve(target, from, at)
    return [tag, resolved === undefined ? target : `#${names.pointerOf('schema', resolved.spot) ?? ''}`]
  })
  return { ...(value as JsonObject), mapping: Object.fromEntries(mapped) }
}

/**
 * Replaces `$dynamicRef` by `$ref` where the path by which the schema is reached cannot matter:
 * where the target has no `$dynamicAnchor` for it, or no other schema has one of that name (JSON
 * Schema 2020-12, section 8.2.3.2).
 */
export function withoutDynamicRef({ identified, report, resolve }: BundleRun, node: JsonObject, from: Spot): JsonObject {
  const { $dynamicRef: ref, ...rest } = node
  const at: Spot = { source: from.source, pointer: pointerTo(from.pointer, '$dynamicRef') }
  if (typeof ref !== 'string') {
    report('FB3002', spotPlace(at), show(ref), 'a string')
    return rest
  }
  const target = resolve(ref, from, at)
  if (target === undefined) return rest
  if (identified.isDynamic(ref, target.node)) {
    report('FB2006', spotPlace(at), show(ref), '$ref')
    return rest
  }
  const all = own(rest, 'allOf')
  return Object.hasOwn(rest, '$ref') ? { ...rest, allOf: [...(isList(all) ? all : []), { $ref: ref }] } : { $ref: ref, ...rest }
}
