import { isList, isObject, type Json, type JsonObject } from './json.js'
import { mediaKind } from './media.js'
import { parseComponentKey, findSlot, type Shape } from './shape.js'
import { constrains, objectWords } from './types/keywords.js'

/** Keywords that only identify a schema. */
export const identifying: ReadonlySet<string> = new Set([
  '$defs',
  '$anchor',
  '$dynamicAnchor',
  '$id',
  '$schema',
  '$comment',
  '$vocabulary',
])

/** What an object of OpenAPI, or a schema or reference within it, may have. */
export const traits = {
  /** Keywords of objects, and no type. */
  untypedObject: 1,
  discriminator: 2,
  readOnly: 4,
  writeOnly: 8,
  bytes: 16,
  /** A keyword that only identifies a schema, or one of references other than `$ref`. */
  identifier: 32,
  /** A `$ref` beside other keywords, or one that is not a string. */
  mixedReference: 64,
} as const

export type Traits = {
  /** The sum of `traits`. */
  readonly bits: number
  /** The references of all schemas in it. */
  readonly refs: readonly string[]
  /** The references of all other objects in it. */
  readonly otherRefs: ReadonlyMap<Shape, ReadonlySet<string>>
  /** How many levels of objects are below it. */
  readonly depth: number
}

type CollectedTraits = {
  bits: number
  readonly refs: string[]
  readonly otherRefs: Map<Shape, Set<string>>
  depth: number
}

const known = new WeakMap<JsonObject, Traits>()

/**
 * Reads an object with all that is in it, once. The steps that prepare a document each concern few
 * of its path items and schemas, and skip the others by their traits.
 */
export function readTraits(node: JsonObject, shape: Shape = 'schema'): Traits {
  const found = known.get(node)
  if (found !== undefined) return found
  const collected: CollectedTraits = { bits: 0, refs: [], otherRefs: new Map(), depth: 0 }
  collect(node, shape, 0, collected)
  known.set(node, collected)
  return collected
}

function collect(node: JsonObject, shape: Shape, level: number, found: CollectedTraits): void {
  if (level > found.depth) found.depth = level
  const isSchema = shape === 'schema'
  if (isSchema && impliesObject(node)) found.bits |= traits.untypedObject
  if (isSchema && isBytes(node)) found.bits |= traits.bytes
  const ref = node['$ref']
  if (typeof ref === 'string') {
    if (isSchema) found.refs.push(ref)
    else found.otherRefs.set(shape, (found.otherRefs.get(shape) ?? new Set<string>()).add(ref))
  }
  if (ref !== undefined && (typeof ref !== 'string' || Object.keys(node).length > 1))
    found.bits |= traits.mixedReference
  // with `for in`, as in all walks through whole documents: it makes no lists and no iterators
  for (const key in node) {
    const value = node[key]
    if (isSchema) found.bits |= keywordTraits.get(key) ?? 0
    if (typeof value !== 'object' || value === null) continue
    const slot = findSlot(shape, key)
    if (slot === undefined) continue
    if (slot.as !== 'one') {
      if ((slot.as === 'list') !== isList(value)) continue
      const members = value as JsonObject
      for (const name in members) {
        const member = members[name]
        if (isObject(member)) collect(member, slot.shape, level + 1, found)
      }
    } else if (isObject(value)) collect(value, slot.shape, level + 1, found)
  }
}

const keywordTraits: ReadonlyMap<string, number> = new Map([
  ['discriminator', traits.discriminator],
  ['readOnly', traits.readOnly],
  ['writeOnly', traits.writeOnly],
  ['$dynamicRef', traits.identifier],
  ...[...identifying].map((key) => [key, traits.identifier] as const),
])

/** Whether a schema has keywords of objects, no type, and no keywords of other types. */
export function impliesObject(schema: JsonObject): boolean {
  return (
    !Object.hasOwn(schema, 'type') &&
    objectWords.some((word) => Object.hasOwn(schema, word)) &&
    !(['array', 'string', 'number'] as const).some((type) => constrains(schema, type))
  )
}

/** Raw bytes: `format: binary` in OpenAPI 3.0, a media type other than text in 3.1. */
export function isBytes(schema: Json): boolean {
  if (!isObject(schema)) return false
  if (schema['format'] === 'binary') return true
  const mediaType = schema['contentMediaType']
  return (
    typeof mediaType === 'string' &&
    schema['contentEncoding'] === undefined &&
    mediaKind(mediaType) === 'binary'
  )
}

/**
 * The schemas that fit, and every object of OpenAPI around one of them. A path item, and a schema
 * that is within no other, is skipped with all in it unless its traits may fit.
 */
export function findAround(
  root: Json,
  mayFit: (traits: Traits) => boolean,
  fits: (schema: JsonObject) => boolean,
  rootShape: Shape = 'document',
): ReadonlySet<Json> {
  const found = new Set<Json>()
  const visit = (node: Json, shape: Shape, isOuter: boolean): boolean => {
    if (!isObject(node)) return false
    const isSchema = shape === 'schema'
    const mayBeSkipped = isSchema ? isOuter : shape === 'pathItem'
    if (mayBeSkipped && !mayFit(readTraits(node, shape))) return false
    let holds = isSchema && fits(node)
    for (const key in node) {
      const value = node[key]
      if (typeof value !== 'object' || value === null) continue
      const slot = findSlot(shape, key)
      if (slot === undefined) continue
      if (slot.as === 'one') holds = visit(value, slot.shape, !isSchema) || holds
      else if ((slot.as === 'list') === isList(value)) {
        const members = value as JsonObject
        for (const name in members)
          holds = visit(members[name] ?? null, slot.shape, !isSchema) || holds
      }
    }
    if (holds) found.add(node)
    return holds
  }
  visit(root, rootShape, true)
  return found
}

/** The components that hold something themselves, and all that refer to one of them. */
export function findHolders(
  components: ReadonlyMap<string, Json>,
  holds: (schema: JsonObject) => boolean,
): ReadonlySet<string> {
  const users = new Map<string, string[]>()
  const found = new Set<string>()
  for (const [key, schema] of components) {
    if (!isObject(schema)) continue
    if (holds(schema)) found.add(key)
    for (const ref of readTraits(schema).refs) {
      const target = parseComponentKey(ref)
      if (target === undefined) continue
      const known = users.get(target)
      if (known === undefined) users.set(target, [key])
      else known.push(key)
    }
  }
  for (const key of found) for (const user of users.get(key) ?? []) found.add(user)
  return found
}

/** The schemas of a document that may have a trait, with all in them. */
export function listSchemas(root: Json, trait: number): readonly JsonObject[] {
  const schemas: JsonObject[] = []
  findAround(
    root,
    ({ bits }) => (bits & trait) !== 0,
    (schema) => {
      schemas.push(schema)
      return false
    },
  )
  return schemas
}
