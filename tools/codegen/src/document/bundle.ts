import type { Report } from '../diagnostics.js'
import { copyNode } from './bundle-copy.js'
import { outermost } from './bundle-run.js'
import type { BundleRun } from './bundle-run.js'
import { componentNames } from './component-names.js'
import type { Spot } from './component-names.js'
import type { Files } from './files.js'
import { isObject, own, pointerTo, valueAt } from './json.js'
import type { Json, JsonObject } from './json.js'
import { referenceNames } from './reference-names.js'
import { referenceResolver } from './resolve-reference.js'

export type Bundle = {
  readonly root: JsonObject
  /** Where a node of the bundle was written. */
  readonly spot: (pointer: string) => Spot
  /** The nodes that a broken reference or a limit has emptied. */
  readonly broken: readonly string[]
}

/**
 * Joins the files of a document into one. A schema outside of `components.schemas` that a reference
 * names becomes a component, and equal targets become the same component. Every other reference is
 * replaced by its target, except those to the entry file's own components.
 */
export function bundle(files: Files, report: Report): Bundle {
  const { entry } = files
  const identified = referenceNames(files)
  const run: BundleRun = {
    entry,
    report,
    names: componentNames(files),
    identified,
    resolve: referenceResolver(files, identified, report),
    copy: copyNode,
    grafts: new Map([['', { source: entry, pointer: '' }]]),
    settled: new Map(),
    endless: new Set(),
    inlined: new Set(),
    broken: new Set(),
    copies: 0,
  }
  const root = copyNode(run, entry.data, 'document', { source: entry, pointer: '' }, '', outermost) as JsonObject
  return { root: withComponents(run, root), spot: (pointer) => spotOf(run, pointer), broken: [...run.broken] }
}

/** Adds the components that references asked for. Copying one may ask for more. */
function withComponents(run: BundleRun, root: JsonObject): JsonObject {
  const added = new Map<string, [string, Json][]>()
  for (let next = run.names.next(); next !== undefined; next = run.names.next()) {
    const { section, shape, name, spot } = next
    const to = pointerTo('/components', section, name)
    run.grafts.set(to, spot)
    const members = added.get(section) ?? []
    added.set(section, members)
    members.push([name, copyNode(run, valueAt(spot.source.data, spot.pointer) ?? {}, shape, spot, to, outermost)])
  }
  if (added.size === 0) return root
  const components = own(root, 'components')
  const grown = [...added].map(([section, members]): [string, Json] => {
    const before = own(components, section)
    return [section, Object.fromEntries([...Object.entries(isObject(before) ? before : {}), ...members])]
  })
  return { ...root, components: { ...(isObject(components) ? components : {}), ...Object.fromEntries(grown) } }
}

function spotOf({ entry, grafts }: BundleRun, pointer: string): Spot {
  if (grafts.size === 1) return { source: entry, pointer }
  for (let base = pointer; ; base = base.slice(0, base.lastIndexOf('/'))) {
    const { source, pointer: start } = grafts.get(base) ?? {}
    if (source !== undefined) return { source, pointer: `${start}${pointer.slice(base.length)}` }
  }
}
