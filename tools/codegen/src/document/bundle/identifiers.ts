import { isList, isObject, readOwn, pointerTo } from '../json.js'
import type { Json, JsonObject } from '../json.js'
import { findSlot } from '../shape.js'
import type { Shape, Slot } from '../shape.js'
import type { Source } from '../source.js'

/** A schema with an `$id`: references within it start there (JSON Schema 2020-12, 8.2.1). */
export type Resource = {
  readonly source: Source
  readonly pointer: string
  /** Absolute, without a fragment. */
  readonly uri: string
}

/** The names of schemas in one file, other than their pointers. */
export type Identifiers = {
  /** The innermost resource that contains a place. Undefined if that is the file itself. */
  readonly resourceAt: (pointer: string) => Resource | undefined
  readonly resources: readonly Resource[]
  /**
   * The place of a plain name, in a resource or (without one) in the file outside of all resources.
   */
  readonly anchor: (name: string, resource: Resource | undefined) => string | undefined
  /** The same, only for names from `$dynamicAnchor`. */
  readonly dynamicAnchor: (name: string, resource: Resource | undefined) => string | undefined
  /** All names from `$dynamicAnchor`, and their places. */
  readonly dynamicAnchors: readonly { readonly name: string; readonly pointer: string }[]
  /** The references of schemas. */
  readonly references: readonly {
    readonly pointer: string
    readonly ref: string
    readonly dynamic: boolean
  }[]
  /** The outermost schema that contains a place. */
  readonly schemaAt: (pointer: string) => string
}

type Place = {
  readonly node: Json
  readonly shape: Shape
  readonly pointer: string
  readonly resource: Resource | undefined
}

/**
 * Finds `$id`, `$anchor` and `$dynamicAnchor` where schemas are allowed. Ignores look-alikes in
 * data and in unknown keywords.
 */
export function readIdentifiers(source: Source, shape: 'document' | 'schema'): Identifiers {
  const resources = new Map<string, Resource>()
  const anchors = new Map<string, string>()
  const dynamics = new Map<string, string>()
  const dynamicAnchors: Identifiers['dynamicAnchors'][number][] = []
  const references: Identifiers['references'][number][] = []
  const roots = new Set<string>()
  const anchorKey = (name: string, resource: Resource | undefined): string =>
    `${resource?.pointer ?? ''}#${name}`
  const stack: Place[] = [{ node: source.data, shape, pointer: '', resource: undefined }]
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const { node, shape: kind, pointer } = place
    if (!isObject(node)) continue
    let { resource } = place
    if (kind === 'schema') {
      const uri = readResourceUri(node, resource?.uri ?? resolveBaseUri(source))
      if (uri !== undefined) {
        resource = { source, pointer, uri }
        resources.set(pointer, resource)
      }
      const [anchor, dynamic] = [readOwn(node, '$anchor'), readOwn(node, '$dynamicAnchor')]
      if (typeof anchor === 'string') anchors.set(anchorKey(anchor, resource), pointer)
      if (typeof dynamic === 'string') {
        dynamics.set(anchorKey(dynamic, resource), pointer)
        dynamicAnchors.push({ name: dynamic, pointer })
      }
      const [ref, dynamicRef] = [readOwn(node, '$ref'), readOwn(node, '$dynamicRef')]
      if (typeof ref === 'string') references.push({ pointer, ref, dynamic: false })
      if (typeof dynamicRef === 'string')
        references.push({ pointer, ref: dynamicRef, dynamic: true })
    }
    for (const [key, value] of Object.entries(node)) {
      const slot = findSchemaSlot(kind, key, shape)
      if (slot === undefined) continue
      const at = pointerTo(pointer, key)
      if (kind !== 'schema' && slot.shape === 'schema')
        for (const name of listSchemaPointers(at, slot, value)) roots.add(name)
      if (slot.as === 'one' && isObject(value))
        stack.push({ node: value, shape: slot.shape, pointer: at, resource })
      else
        for (const [name, item] of listEntries(value))
          stack.push({ node: item, shape: slot.shape, pointer: pointerTo(at, name), resource })
    }
  }
  return {
    resourceAt: (pointer) => {
      if (resources.size === 0) return undefined
      for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
        const found = resources.get(at)
        if (found !== undefined || at === '') return found
      }
    },
    resources: [...resources.values()],
    anchor: (name, resource) =>
      anchors.get(anchorKey(name, resource)) ?? dynamics.get(anchorKey(name, resource)),
    dynamicAnchor: (name, resource) => dynamics.get(anchorKey(name, resource)),
    dynamicAnchors,
    references,
    schemaAt: (pointer) => {
      for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/')))
        if (roots.has(at)) return at
      return findComponentPointer(pointer)
    },
  }
}

/** The absolute URI of a reference, without its fragment; undefined if it is not a URI. */
export function resolveUri(written: string, base: string): string | undefined {
  try {
    const url = new URL(written, base)
    url.hash = ''
    return url.href
  } catch {
    return undefined
  }
}

/** The base of relative references in a file: its `$self` (OpenAPI 3.2) or its location. */
export function resolveBaseUri({ location, data }: Source): string {
  const found = /^[a-z][a-z\d+.-]+:/i.test(location) ? location : `file://${encodeURI(location)}`
  const self = readOwn(data, '$self')
  return (typeof self === 'string' ? resolveUri(self, found) : undefined) ?? found
}

/** An `$id` with a fragment is ignored, unless the fragment is empty. */
function readResourceUri(node: JsonObject, base: string): string | undefined {
  const id = readOwn(node, '$id')
  return typeof id === 'string' && /^[^#]+#?$/.test(id) ? resolveUri(id, base) : undefined
}

/** Pointers to the schemas in a field of an object that is not a schema. */
function listSchemaPointers(at: string, { as }: Slot, value: Json): readonly string[] {
  return as === 'one' ? [at] : Array.from(listEntries(value), ([name]) => pointerTo(at, name))
}

/** The schema of `components` that a place is in, in a file that is not the entry. */
function findComponentPointer(pointer: string): string {
  return /^\/components\/schemas\/[^/]+/.exec(pointer)?.[0] ?? ''
}

const definitions: Slot = { shape: 'schema', as: 'map' }

/** A file other than the entry may contain anything: any object in it may be a schema. */
function findSchemaSlot(shape: Shape, key: string, root: 'document' | 'schema'): Slot | undefined {
  if (shape === 'schema' && (key === '$defs' || key === 'definitions')) return definitions
  return (
    findSlot(shape, key) ??
    (root === 'schema' && !data.has(key) ? { shape: 'schema', as: 'one' } : undefined)
  )
}

const data = new Set(['enum', 'const', 'default', 'example', 'examples'])

function listEntries(value: Json): Iterable<readonly [string | number, Json]> {
  return isList(value) ? value.entries() : isObject(value) ? Object.entries(value) : []
}
