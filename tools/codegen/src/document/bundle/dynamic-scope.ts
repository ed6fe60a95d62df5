import { toSpotKey, type Scope, type Spot } from './component-names.js'
import { splitRef, type Files } from '../files.js'
import { isObject, readOwn, valueAt, type Json } from '../json.js'
import type { Reference, ReferenceNames, Resolve, Target } from './resolve-reference.js'

/**
 * How `$dynamicRef` finds its schema (JSON Schema 2020-12, section 8.2.3.2). A scope is a schema
 * with an `$id`; in a document without them it is a whole schema of `components` or of a content,
 * as anchors of one name could mean nothing otherwise.
 */
export type DynamicScopes = {
  /** The scope in a schema that is reached from another. */
  readonly enterScope: (scope: Scope, spot: Spot) => Scope
  /** Resolves a `$dynamicRef`. `found` is the target that a `$ref` would have. */
  readonly target: (ref: string, found: Target, scope: Scope) => Target
  /**
   * The part of a scope that decides something in a schema, if that differs from what the schema is
   * by itself. Then this way makes another schema of it.
   */
  readonly relevantScope: (scope: Scope, spot: Spot) => Scope | undefined
}

/** Undefined if each `$dynamicRef` has only one target, whatever the path to it. */
export function createDynamicScopes(
  { sources }: Files,
  identifiers: ReferenceNames,
  resolve: Resolve,
): DynamicScopes | undefined {
  const anchors = sources.flatMap((source) => identifiers.dynamicAnchors(source))
  const several = findRepeatedNames(anchors)
  const references =
    several.size === 0 ? [] : sources.flatMap((source) => identifiers.references(source))
  if (!references.some(({ dynamic }) => dynamic)) return undefined
  const byUnit = new Map<string, Map<string, Spot>>()
  for (const { name, spot } of anchors.filter((one) => several.has(one.name))) {
    const unit = toSpotKey(identifiers.findUnit(spot))
    const known = byUnit.get(unit) ?? new Map<string, Spot>()
    byUnit.set(unit, known)
    if (!known.has(name)) known.set(name, followAlias(spot, resolve))
  }
  const users = findUsers(references, anchors, several, resolve)

  const enterScope = (scope: Scope, spot: Spot): Scope => {
    const own = byUnit.get(toSpotKey(identifiers.findUnit(spot)))
    if (own === undefined || [...own.keys()].every((name) => scope.has(name))) return scope
    return new Map([...own, ...scope])
  }
  return {
    enterScope,
    target: (ref, found, scope) => {
      const { pointer: name } = splitRef(ref)
      const spot = readOwn(found.node, '$dynamicAnchor') === name ? scope.get(name) : undefined
      return spot === undefined ? found : { spot, node: nodeAt(spot) }
    },
    relevantScope: (scope, spot) => {
      const id = toSpotKey(spot)
      const names = [...several].filter((name) => users.get(name)?.has(id))
      if (names.length === 0) return undefined
      const [found, alone] = [enterScope(scope, spot), enterScope(new Map(), spot)]
      const used = names.flatMap((name) => {
        const one = found.get(name)
        return one === undefined ? [] : [[name, one] as const]
      })
      const isAlone = used.every(([name, one]) => isSameSpot(alone.get(name), one))
      return isAlone ? undefined : new Map(used)
    },
  }
}

function findRepeatedNames(anchors: readonly { readonly name: string }[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const { name } of anchors) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Set([...counts].flatMap(([name, count]) => (count > 1 ? [name] : [])))
}

/** The places from which a `$dynamicRef` of each name can be reached. Linear time. */
function findUsers(
  references: readonly Reference[],
  anchors: readonly { readonly name: string; readonly spot: Spot }[],
  names: ReadonlySet<string>,
  resolve: Resolve,
): ReadonlyMap<string, ReadonlySet<string>> {
  const toTarget = new Map<string, Spot[]>()
  const refer = (target: string, from: Spot): void => {
    const known = toTarget.get(target)
    if (known === undefined) toTarget.set(target, [from])
    else known.push(from)
  }
  for (const { spot, ref, dynamic } of references) {
    const target = resolve(ref, spot, spot)
    if (target !== undefined) refer(toSpotKey(target.spot), spot)
    if (dynamic) refer(`#${splitRef(ref).pointer}`, spot)
  }
  const namesAt = new Map(anchors.map(({ name, spot }) => [toSpotKey(spot), `#${name}`]))
  return new Map(
    [...names].map((name) => {
      const found = new Set<string>()
      const stack = references
        .filter(({ dynamic, ref }) => dynamic && splitRef(ref).pointer === name)
        .map(({ spot }) => spot)
      for (let spot = stack.pop(); spot !== undefined; spot = stack.pop())
        for (const around of listAncestors(spot)) {
          const id = toSpotKey(around)
          // the ancestors of a known place are known too
          if (found.has(id)) break
          const name = namesAt.get(id)
          const reached = name === undefined || found.has(name) ? [id] : [id, name]
          for (const one of reached) {
            found.add(one)
            stack.push(...(toTarget.get(one) ?? []))
          }
        }
      return [name, found]
    }),
  )
}

/** A place and its ancestors, the innermost first. */
function* listAncestors({ source, pointer }: Spot): Generator<Spot> {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
    yield { source, pointer: at }
    if (at === '') return
  }
}

/** The target of an anchor that is only a reference. */
function followAlias(anchor: Spot, resolve: Resolve): Spot {
  const seen = new Set<string>()
  for (let spot = anchor; ;) {
    const node = nodeAt(spot)
    const ref = readOwn(node, '$ref')
    const isBare =
      isObject(node) && Object.keys(node).every((key) => key === '$ref' || key === '$dynamicAnchor')
    const next =
      isBare && typeof ref === 'string' && !seen.has(toSpotKey(spot))
        ? resolve(ref, spot, spot)
        : undefined
    if (next === undefined) return spot
    seen.add(toSpotKey(spot))
    spot = next.spot
  }
}

function nodeAt({ source, pointer }: Spot): Json {
  return valueAt(source.data, pointer) ?? {}
}

function isSameSpot(one: Spot | undefined, other: Spot): boolean {
  return one !== undefined && toSpotKey(one) === toSpotKey(other)
}
