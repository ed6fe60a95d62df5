import { show, type Report } from '../../diagnostics.js'
import { isObject, pointerTo, type Json, type JsonObject } from '../json.js'
import { findSlot, shapes, type Shape } from '../shape.js'
import type { Source } from '../source.js'
import {
  findPlace,
  toSpotKey,
  type ComponentNames,
  type Scope,
  type Spot,
} from './component-names.js'
import type { DynamicScopes } from './dynamic-scope.js'
import type { ReferenceNames, Resolve, Target } from './resolve-reference.js'

/** The state that the parts of `bundle` share for one document. */
export type BundleRun = {
  readonly entry: Source
  readonly report: Report
  readonly names: ComponentNames
  readonly identifiers: ReferenceNames
  readonly resolve: Resolve
  /** Set if dynamic references depend on the path to a schema. */
  readonly scopes: DynamicScopes | undefined
  /** Copies a node. A field to avoid an import cycle. */
  readonly copy: (
    run: BundleRun,
    node: Json,
    shape: Shape,
    from: Spot,
    to: string,
    within: Within,
  ) => Json
  /** Bundle pointer → the copied source node. Other nodes lie below one with an entry. */
  readonly grafts: Map<string, Spot>
  /** References that stay as written, with the shape of their target. Most occur often. */
  readonly verbatim: Map<string, Shape>
  /** Identities of targets that contain themselves and must not. */
  readonly endless: Set<string>
  /** Identities of targets that were copied in place of a reference. */
  readonly inlined: Set<string>
  /** Bundle pointers of the nodes that were emptied because of an error. */
  readonly broken: Set<string>
  /** How many objects were copied more than once. */
  copies: number
}

/**
 * The depth of a node, the targets inlined on the path to it, whether one was inlined before, and
 * the bindings of dynamic references.
 */
export type Within = {
  readonly depth: number
  readonly targets: readonly string[]
  readonly again: boolean
  readonly scope: Scope
}

export const outermost: Within = { depth: 0, targets: [], again: false, scope: new Map() }

/**
 * Copies a node with a `$ref`: as a reference to a component, or as the target itself.
 * `boundTarget` is the target of a dynamic reference in this scope.
 */
export function copyReference(
  run: BundleRun,
  node: JsonObject,
  ref: string,
  shape: Shape,
  from: Spot,
  to: string,
  within: Within,
  boundTarget?: Target,
): Json {
  const { entry, identifiers, names, verbatim } = run
  const bare = Object.keys(node).length === 1
  if (bare && from.source === entry && verbatim.get(ref) === shape && !isAt(ref, to)) return node
  const at: Spot = { source: from.source, pointer: pointerTo(from.pointer, '$ref') }
  const target = boundTarget ?? run.resolve(ref, from, at)
  if (target === undefined) return replaceBrokenNode(run, to)
  const kind = findComponentShape(target.spot.pointer)
  if (kind !== undefined && shapes[kind] !== shapes[shape]) {
    run.report('FB2007', findPlace(at), `${show(ref)}, which is a ${kind}`, `a ${shape}`)
    return replaceBrokenNode(run, to)
  }
  const siblings = bare ? [] : Object.entries(node).filter(([key]) => key !== '$ref')
  const copySiblings = (): JsonObject =>
    run.copy(run, Object.fromEntries(siblings), shape, from, to, within) as JsonObject
  const scope =
    shape === 'schema' ? run.scopes?.relevantScope(within.scope, target.spot) : undefined
  const component = isComponent(target.spot, shape, siblings.length)
    ? names.componentPointer(shape, target.spot, scope)
    : undefined
  if (component !== undefined && component !== to) {
    if (!bare || ref !== `#${component}`) return { $ref: `#${component}`, ...copySiblings() }
    if (from.source === entry && !identifiers.isContextual) verbatim.set(ref, shape)
    return node
  }
  const whole = inlineTarget(run, target, shape, to, within, at)
  if (!isObject(whole) || siblings.length === 0 || shape === 'schema') return whole
  return { ...whole, ...copySiblings() }
}

/**
 * Every schema with a reference to it becomes a component. Of the other objects only whole files
 * and components do, and a reference with fields beside it is replaced by a copy.
 */
function isComponent({ pointer }: Spot, shape: Shape, siblings: number): boolean {
  return (
    shape === 'schema' ||
    (siblings === 0 && (pointer === '' || /^\/components\/[^/]+\/[^/]+$/.test(pointer)))
  )
}

function inlineTarget(
  run: BundleRun,
  target: Target,
  shape: Shape,
  to: string,
  within: Within,
  at: Spot,
): Json {
  const id = toSpotKey(target.spot)
  // a target that contains itself is reported only once
  if (run.endless.has(id)) return replaceBrokenNode(run, to)
  if (within.targets.includes(id)) {
    run.endless.add(id)
    const code = shape === 'schema' ? 'FB2004' : 'FB2005'
    run.report(
      code,
      findPlace(at),
      `a reference to #${target.spot.pointer} inside of it`,
      'a structure that ends',
    )
    return replaceBrokenNode(run, to)
  }
  run.grafts.set(to, target.spot)
  const again = within.again || run.inlined.has(id)
  run.inlined.add(id)
  return run.copy(run, target.node, shape, target.spot, to, {
    ...within,
    depth: within.depth + 1,
    targets: [...within.targets, id],
    again,
  })
}

/** The shape of a component. A parameter and a header have the same fields. */
function findComponentShape(pointer: string): Shape | undefined {
  const [, section] = /^\/components\/([^/]+)\/[^/]+$/.exec(pointer) ?? []
  return section === undefined ? undefined : findSlot('components', section)?.shape
}

/** Replaces a node with a reported error. */
export function replaceBrokenNode({ broken }: BundleRun, to: string): JsonObject {
  broken.add(to)
  return {}
}

/** Whether a reference is to this pointer of the same file. */
function isAt(ref: string, pointer: string): boolean {
  return ref.length === pointer.length + 1 && ref.endsWith(pointer)
}
