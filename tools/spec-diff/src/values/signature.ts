import type { Schema } from '@farebox/codegen/model'

/** Finds the schema of a name in one of the documents. */
export type Resolve = (name: string) => Schema

/** The schema at the end of a chain of references. */
export function followRefs(schema: Schema, resolve: Resolve): Schema {
  let found = schema
  for (let hops = 0; found.kind === 'ref' && hops < 50; hops++) found = resolve(found.name)
  return found
}

/** A schema of one version, and what its references mean there. */
export type VersionedSchema = { readonly schema: Schema; readonly resolve: Resolve }

/** Whether each value of `part` is proven to be a value of `whole`. */
export type Includes = (part: Schema, whole: Schema) => boolean

/** How a side reads its schemas. */
export type Reader = {
  readonly resolve: Resolve
  /**
   * A string for the values of a schema. Equal strings in both documents mean equal sets of values:
   * the name of a schema that changed, or that refers to one that did, has a different string on
   * each side.
   */
  readonly meaning: (schema: Schema) => string
}

/** A string for the values of a schema. Equal strings mean equal sets. Refs appear by name. */
export const signature: (schema: Schema) => string = memoize(
  (schema) => writeSchema(schema, (name) => name),
  new WeakMap(),
)

/** Whether two schemas have the same signature. Most that differ do so early, so nothing is written. */
export function hasSameSignature(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => hasSameSignature(item, other[index]))
    )
  if (Array.isArray(other) || isSchema(one) !== isSchema(other)) return false
  if (!isSchema(one) || !isSchema(other)) return hasSameMembers(one, other)
  if (one.kind !== other.kind) return false
  if (one.kind === 'enum' || one.kind === 'union') return signature(one) === signature(other)
  if (one.kind !== 'object' || other.kind !== 'object') return hasSameMembers(one, other)
  const [properties, others] = [
    one.properties.toSorted(compareByName),
    other.properties.toSorted(compareByName),
  ]
  return hasSameMembers({ ...one, properties }, { ...other, properties: others })
}

function hasSameMembers(one: object, other: object): boolean {
  const [mine, theirs] = [one as Members, other as Members]
  return (
    Object.keys(mine).every(
      (key) => annotations.has(key) || hasSameSignature(mine[key], theirs[key]),
    ) &&
    Object.keys(theirs).every(
      (key) => annotations.has(key) || theirs[key] === undefined || mine[key] !== undefined,
    )
  )
}

type Members = Readonly<Record<string, unknown>>

function compareByName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1
}

/** The same with other names for the referenced schemas; also for a rule that contains schemas. */
export function writeSchema(rule: unknown, named: (name: string) => string): string {
  return write(rule, named, (schema) => writeSchema(schema, named))
}

/**
 * Writers of short strings for the values of schemas: equal strings mean equal sets, even between
 * writers with different names. Each schema is written once, from the strings of its parts.
 */
export function createMeanings(): (named: (name: string) => string) => (schema: Schema) => string {
  const texts = new Map<string, string>()
  return (named) => {
    const meaning: (schema: Schema) => string = memoize((schema) => {
      const written = write(schema, named, meaning)
      const known = texts.get(written) ?? `#${texts.size}`
      texts.set(written, known)
      return known
    })
    return meaning
  }
}

/** The order of properties, options and listed values has no effect. */
function write(
  rule: unknown,
  named: (name: string) => string,
  part: (schema: Schema) => string,
): string {
  if (typeof rule !== 'object' || rule === null) return JSON.stringify(rule)
  const inner = (value: unknown): string =>
    typeof value === 'object' && value !== null && isSchema(value)
      ? part(value)
      : write(value, named, part)
  if (Array.isArray(rule)) return `[${rule.map(inner).join()}]`
  if (!isSchema(rule)) return writeMembers(rule, inner)
  if (rule.kind === 'ref') return `ref ${JSON.stringify(named(rule.name))}`
  if (rule.kind === 'enum') return `enum [${rule.values.map(writeCanonical).toSorted().join()}]`
  if (rule.kind === 'union') return `union [${rule.options.map(inner).toSorted().join()}]`
  if (rule.kind !== 'object') return writeMembers(rule, inner)
  const properties = rule.properties.toSorted(compareByName)
  return writeMembers({ ...rule, properties }, inner)
}

function writeMembers(rule: object, inner: (value: unknown) => string): string {
  const parts: string[] = []
  for (const key of listKeys(rule)) {
    const value: unknown = rule[key as keyof typeof rule]
    if (value !== undefined) parts.push(`${key}:${inner(value)}`)
  }
  return `{${parts.join()}}`
}

/** In a certain order. Many rules have the same keys. */
function listKeys(rule: object): readonly string[] {
  const keys = Object.keys(rule)
  const name = keys.join()
  const known = sortedKeys.get(name)
  if (known !== undefined) return known
  const sorted = keys.filter((key) => !annotations.has(key)).toSorted()
  sortedKeys.set(name, sorted)
  return sorted
}

const sortedKeys = new Map<string, readonly string[]>()

/** What has no effect on the set of values. */
const annotations = new Set(['notes', 'cyclic', 'content', 'encoding', 'as'])

function writeCanonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

function isSchema(value: object): value is Schema {
  return 'kind' in value && 'notes' in value
}

/** The same function with a cache. The collector visits a `WeakMap` often, so it is for what outlives a comparison. */
export function memoize<T, Key = Schema>(
  make: (key: Key) => T,
  known: Cache<Key, { readonly made: T }> = new Map(),
): (key: Key) => T {
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found.made
    const made = make(key)
    known.set(key, { made })
    return made
  }
}

/** The rules or schemas that differ in their values, each once. */
export function removeDuplicates<T extends object>(rules: readonly T[]): readonly T[] {
  return [...new Map(rules.map((rule) => [writeSchema(rule, (name) => name), rule])).values()]
}

export type Cache<Key, Value> = {
  readonly get: (key: Key) => Value | undefined
  readonly set: (key: Key, value: Value) => unknown
}
