import { show } from '../diagnostics.js'
import type { BundleRun } from './bundle-run.js'
import { spotPlace } from './component-names.js'
import type { Spot } from './component-names.js'
import type { Scope } from './dynamic-scope.js'
import { isList, isObject, own, pointerTo } from './json.js'
import type { Json, JsonObject } from './json.js'
import type { Target } from './resolve-reference.js'

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
 * What a node with a `$dynamicRef` is: a node with a `$ref`, and what that refers to on this way.
 * Where it has a `$ref` too, the `$dynamicRef` moves into a part of `allOf`.
 */
export function withoutDynamicRef(
  run: BundleRun,
  node: JsonObject,
  from: Spot,
  to: string,
  scope: Scope,
): { readonly node: JsonObject; readonly target?: Target } {
  const { report, resolve, scopes, broken } = run
  const { $dynamicRef: ref, ...rest } = node
  const at: Spot = { source: from.source, pointer: pointerTo(from.pointer, '$dynamicRef') }
  if (typeof ref !== 'string') {
    broken.add(to)
    report('FB3002', spotPlace(at), show(ref), 'a string')
    return { node: rest }
  }
  if (Object.hasOwn(rest, '$ref')) {
    const all = own(rest, 'allOf')
    return { node: { ...rest, allOf: [...(isList(all) ? all : []), { $dynamicRef: ref }] } }
  }
  const found = resolve(ref, from, at)
  if (found === undefined) {
    broken.add(to)
    return { node: rest }
  }
  return { node: { $ref: ref, ...rest }, target: scopes?.target(ref, found, scope) ?? found }
}
