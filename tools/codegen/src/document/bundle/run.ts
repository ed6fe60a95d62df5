import type { Report } from '../../diagnostics.js'
import type { ComponentNames, Scope, Spot } from './component-names.js'
import type { Json } from '../json.js'
import type { DynamicScopes } from './dynamic-scope.js'
import type { ReferenceNames } from './reference-names.js'
import type { Resolve } from './resolve-reference.js'
import type { Shape } from '../shape.js'
import type { Source } from '../source.js'

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
