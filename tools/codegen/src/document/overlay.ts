import { exec } from 'jsonpath-rfc9535'
import { show } from '../diagnostics.js'
import type { Report } from '../diagnostics.js'
import { isList, isObject, own } from './json.js'
import type { Json } from './json.js'
import type { Source } from './source.js'

type Path = readonly (string | number)[]
type Mutable = Record<string | number, Json> | Json[]

/**
 * A document changed by an overlay (OpenAPI Overlay 1.0.0). A fault of the overlay is reported, and
 * then nothing is returned.
 */
export function overlaid(source: Source, overlay: Source, report: Report): Source | undefined {
  const { data } = overlay
  const actions = own(data, 'actions')
  const version = own(data, 'overlay')
  if (typeof version !== 'string' || !version.startsWith('1.') || !isList(actions)) {
    report('FB1010', overlay.place(''), show(version), 'an object with `overlay: 1.0.0`, `info` and `actions`')
    return undefined
  }
  // aliases of YAML share their value, and a change must not
  let changed = JSON.parse(JSON.stringify(source.data)) as Json
  for (const [index, action] of actions.entries()) {
    const result = apply(changed, action)
    if (typeof result === 'string') {
      report('FB1010', overlay.place(`/actions/${index}`), result, 'an action with `target`, and `update` or `remove: true`')
      return undefined
    }
    changed = result.data
  }
  return { ...source, data: changed }
}

/** The document after an action, or the fault of the action. */
function apply(data: Json, action: Json): { readonly data: Json } | string {
  const [target, update] = [own(action, 'target'), own(action, 'update')]
  if (typeof target !== 'string') return `target ${show(target)}`
  const found: Path[] = []
  try {
    exec(data as Parameters<typeof exec>[0], target, (_, path) => found.push([...path]))
  } catch (error) {
    return `${show(target)}, ${error instanceof Error ? error.message : 'which is no JSONPath'}`
  }
  if (own(action, 'remove') === true) return { data: removed(data, found) }
  if (update === undefined) return 'neither update nor remove'
  const holder: Mutable = [data]
  for (const path of found) {
    const [parent, key] = parentOf(holder, [0, ...path])
    const value = at(parent, key)
    if (typeof value !== 'object' || value === null) return `${show(target)}, which selects ${show(value)}`
    put(parent, key, merged(value, update, true))
  }
  return { data: holder[0] ?? null }
}

/** The last elements of a list go first, so that the others keep their places. */
function removed(data: Json, paths: readonly Path[]): Json {
  const holder: Mutable = [data]
  for (const path of paths.toSorted((a, b) => Number(b.at(-1)) - Number(a.at(-1)) || b.length - a.length)) {
    const [parent, key] = parentOf(holder, [0, ...path])
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else delete parent[key]
  }
  return holder[0] ?? null
}

function parentOf(holder: Mutable, path: Path): readonly [Mutable, string | number] {
  let parent = holder
  for (const key of path.slice(0, -1)) parent = at(parent, key) as unknown as Mutable
  return [parent, path.at(-1) ?? 0]
}

function at(parent: Mutable, key: string | number): Json | undefined {
  return Array.isArray(parent) ? parent[Number(key)] : own(parent, String(key))
}

function put(parent: Mutable, key: string | number, value: Json): void {
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Objects are merged, lists joined, and other values replaced (Overlay 1.0.0, "Action Object"). */
function merged(value: Json | undefined, update: Json, selected = false): Json {
  if (isList(value)) return isList(update) ? [...value, ...update] : selected ? [...value, update] : update
  if (!isObject(value) || !isObject(update)) return update
  const fields = new Map(Object.entries(value))
  for (const [key, item] of Object.entries(update)) fields.set(key, merged(fields.get(key), item))
  return Object.fromEntries(fields)
}
