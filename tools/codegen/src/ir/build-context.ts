import { show } from '../diagnostics.js'
import type { Code } from '../diagnostics.js'
import { isList, isObject, readOwn, valueAt } from '../document/json.js'
import type { Json, JsonObject } from '../document/json.js'
import type { Document } from '../document/load.js'
import type { Types } from '../document/types/possible-types.js'
import type { Method, Operation } from './api.js'
import type { Origin, Schema } from './schema.js'

/** The context of every part of the translation: the document, the reporter and earlier results. */
export type Context = {
  readonly document: Document
  readonly report: (code: Code, pointer: string, found: string, expected: string) => void
  /** How often something was reported so far. */
  readonly countReports: () => number
  /** The schemas of the document by their keys. */
  readonly components: ReadonlyMap<string, Json>
  /** A schema by its identifier. Only for operations, which are built after all schemas. */
  readonly findSchema: (name: string) => Schema | undefined
  /** The identifier of a component. */
  readonly schemaName: (key: string) => string
  /** Whether a reference from one component to another must be evaluated late. */
  readonly closesCycle: (from: string | undefined, to: string) => boolean
  readonly reuse: Reuse
}

/** A node of the document and the pointer to it. */
export type LocatedNode<T extends Json = Json> = { readonly node: T; readonly pointer: string }

/** The parts of the translation of another version, or what is kept for the next one. */
export type Reuse = {
  /** `within` is the component that is being built. */
  readonly findSchema: (found: LocatedNode, within: string | undefined) => Schema | undefined
  readonly keepSchema: (found: LocatedNode, schema: Schema) => void
  readonly findOperation: (
    place: { readonly method: Method; readonly path: string },
    id: string,
  ) => Operation | undefined
  /** What was kept, by pointers. Undefined if no other version uses it. */
  readonly kept?: ReadonlyMap<string, KeptSchema>
}

/** A schema and what it was translated from. */
export type KeptSchema = { readonly node: Json; readonly schema: Schema }

/** Where a schema is read from, and the facts that are already known about its value. */
export type Site = SchemaStart & {
  /** JSON types still possible given the enclosing schemas. */
  readonly assumed?: Types
  /**
   * Translates a schema within this one. A field to avoid an import cycle.
   */
  readonly build: (site: Site, found: LocatedNode) => Schema
}

/** Where the translation of a schema starts. */
export type SchemaStart = {
  readonly context: Context
  /** The component that is being built, if one is. */
  readonly within?: string
}

/** The site of a part that describes another value, such as a property. */
export function dropAssumption(site: Site): Site {
  if (site.assumed === undefined) return site
  const { assumed: _, ...rest } = site
  return rest
}

export function findOrigin(context: Context, pointer: string): Origin {
  return context.document.origin(pointer)
}

/** Follows references to parameters and the like. Reports one without an object as its target. */
export function dereference(
  context: Context,
  found: LocatedNode,
): LocatedNode<JsonObject> | undefined {
  let { node, pointer } = found
  for (let hops = 0; hops < 50; hops++) {
    const ref = readOwn(node, '$ref')
    if (typeof ref !== 'string') return readObject(context, { node, pointer })
    pointer = ref.slice(1)
    node = valueAt(context.document.root, pointer) ?? null
  }
  context.report(
    'FB2004',
    found.pointer,
    'references that lead to each other',
    'one that leads to an object',
  )
  return undefined
}

/**
 * Each component is built once, and so are equal parts of operations: all places share the object.
 * A part of an operation that has a fault is built, and reported, at each of its places.
 */
export function buildOnce<T>(
  make: (context: Context, found: LocatedNode<JsonObject>) => T,
): typeof make {
  const results = new WeakMap<Context, Map<string, T>>()
  return (context, found) => {
    const isComponent = found.pointer.startsWith('/components/')
    const key = isComponent ? found.pointer : JSON.stringify(found.node)
    const known = results.get(context) ?? new Map<string, T>()
    results.set(context, known)
    if (known.has(key)) return known.get(key) as T
    const reports = context.countReports()
    const made = make(context, found)
    if (isComponent || reports === context.countReports()) known.set(key, made)
    return made
  }
}

/** The node as an object. Reports anything else. */
export function readObject(
  context: Context,
  { node, pointer }: LocatedNode,
): LocatedNode<JsonObject> | undefined {
  if (isObject(node)) return { node, pointer }
  context.report('FB4012', pointer, show(node), 'an object')
  return undefined
}

/** A field with a map. Empty if it is absent. */
export function readEntries(
  context: Context,
  node: JsonObject,
  key: string,
  pointer: string,
): readonly (readonly [string, Json])[] {
  const value = readOwn(node, key)
  if (value === undefined || value === null) return []
  if (isObject(value)) return Object.entries(value)
  context.report('FB4012', `${pointer}/${key}`, show(value), 'an object')
  return []
}

/** Leaves out the `x-` fields, which are allowed between paths and between responses. */
export function skipExtensions<T>(
  entries: readonly (readonly [string, T])[],
): readonly (readonly [string, T])[] {
  return entries.filter(([name]) => !name.startsWith('x-'))
}

/** A field with an array. Empty if it is absent. */
export function readItems(
  context: Context,
  node: JsonObject,
  key: string,
  pointer: string,
): readonly Json[] {
  const value = readOwn(node, key)
  if (value === undefined || value === null) return []
  if (isList(value)) return value
  context.report('FB4012', `${pointer}/${key}`, show(value), 'an array')
  return []
}

export function readNonEmpty(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A string that may be written as a number, as in `version: 1.0`. */
export function formatScalar(value: Json | undefined): string {
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? JSON.stringify(value)
      : ''
}

/** The `x-` fields of an object. */
export function readExtensions(node: JsonObject): Readonly<Record<string, Json>> {
  return Object.freeze(
    Object.fromEntries(Object.entries(node).filter(([key]) => key.startsWith('x-'))),
  )
}
