import type { Report } from '../../diagnostics.js'
import { copyNode } from './copy.js'
import { emptyNode, outermost, type BundleRun } from './reference.js'
import { createComponentNames, findPlace } from './component-names.js'
import type { Spot } from './component-names.js'
import type { Files } from '../files.js'
import { isObject, own, pointerTo, valueAt } from '../json.js'
import type { Json, JsonObject } from '../json.js'
import { createDynamicScopes } from './dynamic-scope.js'
import { createReferenceNames, createResolver } from './resolve-reference.js'

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
  const identifiers = createReferenceNames(files)
  const silent = createResolver(files, identifiers, () => undefined)
  const run: BundleRun = {
    entry,
    report,
    names: createComponentNames(files),
    identifiers,
    resolve: createResolver(files, identifiers, report),
    scopes: createDynamicScopes(files, identifiers, silent),
    copy: copyNode,
    grafts: new Map([['', { source: entry, pointer: '' }]]),
    verbatim: new Map(),
    endless: new Set(),
    inlined: new Set(),
    broken: new Set(),
    copies: 0,
  }
  const root = copyNode(
    run,
    entry.data,
    'document',
    { source: entry, pointer: '' },
    '',
    outermost,
  ) as JsonObject
  return {
    root: addComponents(run, root),
    spot: (pointer) => findSpot(run, pointer),
    broken: [...run.broken],
  }
}

/** Five dynamic references to ten schemas each would make a hundred thousand. */
const maxBound = 2000

/** Adds the referenced components. Copying one may add more. */
function addComponents(run: BundleRun, root: JsonObject): JsonObject {
  const added = new Map<string, [string, Json][]>()
  let bound = 0
  for (let next = run.names.next(); next !== undefined; next = run.names.next()) {
    const { section, shape, name, spot, scope = outermost.scope } = next
    const to = pointerTo('/components', section, name)
    run.grafts.set(to, spot)
    const members = added.get(section) ?? []
    added.set(section, members)
    if (scope.size > 0 && ++bound > maxBound) {
      if (bound === maxBound + 1)
        run.report('FB2006', findPlace(spot), `more than ${maxBound} schemas`, 'fewer ways')
      members.push([name, emptyNode(run, to)])
      continue
    }
    members.push([
      name,
      copyNode(run, valueAt(spot.source.data, spot.pointer) ?? {}, shape, spot, to, {
        ...outermost,
        scope,
      }),
    ])
  }
  if (added.size === 0) return root
  const components = own(root, 'components')
  const grown = [...added].map(([section, members]): [string, Json] => {
    const before = own(components, section)
    return [
      section,
      Object.fromEntries([...Object.entries(isObject(before) ? before : {}), ...members]),
    ]
  })
  return {
    ...root,
    components: { ...(isObject(components) ? components : {}), ...Object.fromEntries(grown) },
  }
}

function findSpot({ entry, grafts }: BundleRun, pointer: string): Spot {
  if (grafts.size === 1) return { source: entry, pointer }
  for (let base = pointer; ; base = base.slice(0, base.lastIndexOf('/'))) {
    const { source, pointer: start } = grafts.get(base) ?? {}
    if (source !== undefined) return { source, pointer: `${start}${pointer.slice(base.length)}` }
  }
}
