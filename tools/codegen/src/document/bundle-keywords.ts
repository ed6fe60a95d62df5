import { show } from '../diagnostics.js'
import type { BundleRun } from './bundle-run.js'
import { spotPlace } from './component-names.js'
import type { Spot } from './component-names.js'
import { isList, isObject, own, pointerTo } from './json.js'
import type { Json, JsonObject } from './json.js'

/** A discriminator whose mapping names the components of the bundle. */
export function copyDiscriminator({ names, resolve, broken }: BundleRun, value: Json, from: Spot, to: string): Json {
  if (!isObject(value)) return value
  const [mapping, fallback] = [own(value, 'mapping'), own(value, 'defaultMapping')]
  const mapped = (target: Json, ...key: readonly string[]): Json => {
    if (typeof target !== 'string') return target
    if (names.isTaken('schemas', target)) return pointerTo('#/components/schemas', target)
    const resolved = resolve(target, from, { source: from.source, pointer: pointerTo(from.pointer, ...key) })
    if (resolved === undefined) broken.add(to)
    return resolved === undefined ? target : `#${names.pointerOf('schema', resolved.spot) ?? ''}`
  }
  if (!isObject(mapping) && fallback === undefined) return value
  const tags = isObject(mapping)
    ? Object.entries(mapping).map(([tag, target]): [string, Json] => [tag, mapped(target, 'mapping', tag)])
    : []
  return {
    ...value,
    ...(isObject(mapping) && { mapping: Object.fromEntries(tags) }),
    ...(fallback !== undefined && { defaultMapping: mapped(fallback, 'defaultMapping') }),
  }
}

/**
 * Replaces `$dynamicRef` by `$ref` where the path by which the schema is reached cannot matter:
 * where the target has no `$dynamicAnchor` for it, or no other schema has one of that name (JSON
 * Schema 2020-12, section 8.2.3.2).
 */
export function withoutDynamicRef(run: BundleRun, node: JsonObject, from: Spot, to: string): JsonObject {
  const { identified, report, resolve, broken } = run
  const { $dynamicRef: ref, ...rest } = node
  const at: Spot = { source: from.source, pointer: pointerTo(from.pointer, '$dynamicRef') }
  if (typeof ref !== 'string') {
    broken.add(to)
    report('FB3002', spotPlace(at), show(ref), 'a string')
    return rest
  }
  const target = resolve(ref, from, at)
  if (target === undefined) {
    broken.add(to)
    return rest
  }
  if (identified.isDynamic(ref, target.node)) {
    broken.add(to)
    report('FB2006', spotPlace(at), show(ref), '$ref')
    return rest
  }
  const all = own(rest, 'allOf')
  return Object.hasOwn(rest, '$ref') ? { ...rest, allOf: [...(isList(all) ? all : []), { $ref: ref }] } : { $ref: ref, ...rest }
}
