import type { Report } from '../../diagnostics.js'
import type { ComponentNames, Scope, Spot } from './component-names.js'
import type { Json } from '../json.js'
import type { DynamicScopes } from './dynamic-scope.js'
import type { ReferenceNames } from './reference-names.js'
import type { Resolve } from './resolve-reference.js'
import type { Shape } from '../shape.js'
import type { Source } from '../source.js'

/** What the parts of `bundle` share while they join one document. */
export type BundleRun = {
  readonly entry: Source
  readonly report: Report
  readonly names: ComponentNames
  readonly identifiers: ReferenceNames
  readonly resolve: Resolve
  /** Where the way to a schema matters. */
  readonly scopes: DynamicScopes | undefined
  /** Copies a node. A field, so that the parts need no import of the whole. */
  readonly copy: (run: BundleRun, node: Json, shape: Shape, from: Spot, to: string, within: Within) => Json
  /** Bundle pointer → the copied source node. Other nodes lie below one with an entry. */
  readonly grafts: Map<string, Spot>
  /** References that stay as written, with the shape of their target. Most repeat often. */
  readonly verbatim: Map<string, Shape>
  /** Identities of targets that contain themselves and must not. */
  readonly endless: Set<string>
  /** Identities of targets that were copied in place of a reference. */
  readonly inlined: Set<string>
  /** Bundle pointers of the nodes that a fault has emptied. */
  readonly broken: Set<string>
  /** How many objects were copied more than once. */
  copies: number
}

/**
 * The depth of a node, the targets replaced on the way, whether one repeats, and what dynamic
 * references find.
 */
export type Within = { readonly depth: number; readonly targets: readonly string[]; readonly again: boolean; readonly scope: Scope }

export const outermost: Within = { depth: 0, targets: [], again: false, scope: new Map() }
