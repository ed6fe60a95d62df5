import { isList, isObject, readOwn, type Json, type JsonObject } from '../json.js'
import { parseComponentKey, mapMembers, mapSlots, type Shape } from '../shape.js'
import { findAround, listSchemas, traits } from '../traits.js'
import {
  addPart,
  findAlias,
  createTagReader,
  listPropertyTypes,
  readLiteral,
  listComponentTags,
  listParents,
  requireTag,
  createTagSchema,
  type TagConstraints,
  type Components,
} from './allowed-tags.js'

/**
 * Expresses discriminators as JSON Schema (OpenAPI 3.2.0, "Discriminator Object"): an option of
 * `oneOf` or `anyOf` requires its tag, and so does a component whose parent has a discriminator. A
 * discriminator that does not distinguish the options stays a hint. No node moves, except a `$ref`
 * that is an option.
 */
export function tagSchemas(root: JsonObject): JsonObject {
  const written = readDiscriminators(root)
  if (written.count === 0) return root
  const tagged = tagChildren(root, written)
  const discriminators = tagged === root ? written : readDiscriminators(tagged, written)
  const families = findFamilies(discriminators)
  const mayBeParent = (ref: string): boolean => families.has(parseComponentKey(ref) ?? '')
  const around = findAround(
    tagged,
    ({ bits, refs }) => (bits & traits.discriminator) !== 0 || refs.some(mayBeParent),
    (schema) => {
      const options = readOwn(schema, 'oneOf') ?? readOwn(schema, 'anyOf')
      if (options === undefined || readOwn(schema, 'discriminator') !== undefined)
        return options !== undefined
      return (
        isList(options) &&
        options.some((option) => families.has(findAlias(option, discriminators.components) ?? ''))
      )
    },
  )
  return mapSchemas(tagged, 'document', around, (schema) => {
    const isWritten = readOwn(schema, 'discriminator') !== undefined
    const discriminator = discriminators.find(schema)
    if (isWritten && discriminator === undefined) return schema
    return mapMembers(schema, (value, key) => {
      if ((key !== 'oneOf' && key !== 'anyOf') || !isList(value)) return value
      if (discriminator !== undefined) return tagOptions(value, discriminator, discriminators)
      const keys = value.flatMap((option) => findAlias(option, discriminators.components) ?? [])
      return value.map((option) => tagParent(option, keys, families, discriminators))
    })
  }) as JsonObject
}

/** A component that is a parent, and how its value names the component that it is of. */
type Family = {
  readonly property: string
  /** Its children, their children and so on. */
  readonly below: ReadonlySet<string>
}

function findFamilies(discriminators: Discriminators): ReadonlyMap<string, Family> {
  const { components, find } = discriminators
  const children = new Map<string, string[]>()
  for (const [key, schema] of components)
    for (const parent of listParents(schema)) {
      const known = children.get(parent) ?? []
      children.set(parent, known)
      known.push(key)
    }
  const listInherited = createInheritance(discriminators)
  const families = new Map<string, Family>()
  for (const [key, direct] of children) {
    const schema = components.get(key) ?? true
    const isChoice = (readOwn(schema, 'oneOf') ?? readOwn(schema, 'anyOf')) !== undefined
    const stated = isChoice ? undefined : find(schema)?.property
    const property = stated ?? [...listInherited(key)][0]
    if (property === undefined) continue
    const below = new Set(direct)
    for (const child of below) for (const one of children.get(child) ?? []) below.add(one)
    families.set(key, { property, below })
  }
  return families
}

/**
 * A parent accepts the tags of all its children, except those that are options beside it: a value of
 * such a child belongs to that option.
 */
function tagParent(
  option: Json,
  options: readonly string[],
  families: ReadonlyMap<string, Family>,
  { components, mappedTags, allowed }: Discriminators,
): Json {
  const key = findAlias(option, components) ?? ''
  const { property, below } = families.get(key) ?? {}
  if (property === undefined || below === undefined) return option
  const apart = new Set(
    options.flatMap((other) =>
      other !== key && below.has(other) ? [other, ...(families.get(other)?.below ?? [])] : [],
    ),
  )
  if (apart.size === 0) return option
  const readTags = (name: string): readonly string[] => mappedTags(property, name) ?? [name]
  const takenNames = new Set([...apart].flatMap(readTags))
  const limits = allowed(option, property)
  const tags = [key, ...below]
    .flatMap((name) => (apart.has(name) ? [] : readTags(name)))
    .filter((tag) => !takenNames.has(tag) && (limits.tags?.includes(tag) ?? true))
  return tags.length === 0 ? option : requireTag(option, property, tags, limits)
}

/** Returns the options unchanged if one has no tag, or two have the same. */
function tagOptions(
  options: readonly Json[],
  discriminator: Discriminator,
  discriminators: Discriminators,
): readonly Json[] {
  const { property, mapping, fallback } = discriminator
  const { components, allowed } = discriminators
  if (options.every((option) => allowed(option, property).tags?.length === 0))
    return tagByLiterals(options, discriminator, components)
  const found = options.map((option) => {
    const key = findAlias(option, components)
    if (key !== undefined && key === fallback) return { option, isDefault: true }
    return readOwn(option, 'type') === 'null'
      ? { option }
      : { option, tags: findTags(key, mapping, allowed(option, property)) }
  })
  const all = found.flatMap(({ tags = [] }) => tags)
  const defaults = found.filter(({ isDefault }) => isDefault === true).length
  const isClear = new Set(all).size === all.length && found.every(({ tags }) => tags?.length !== 0)
  if (!isClear || defaults !== (fallback === undefined ? 0 : 1)) return options
  return found.map(({ option, isDefault, tags }) => {
    if (isDefault === true) return addPart(option, { not: createTagSchema(property, all) })
    return tags === undefined
      ? option
      : requireTag(option, property, tags, allowed(option, property))
  })
}

/** The same where the tags are booleans or numbers, which only a mapping gives to an option. */
function tagByLiterals(
  options: readonly Json[],
  { property, mapping, fallback }: Discriminator,
  components: Components,
): readonly Json[] {
  const tags = options.map((option) => {
    const types = listPropertyTypes(option, property, components)
    const texts = mapping.get(findAlias(option, components) ?? '') ?? []
    return texts.map((tag) => readLiteral(tag, types))
  })
  const all = tags.flat()
  const isClear = all.length === new Set(all).size && tags.every(({ length }) => length > 0)
  if (!isClear || all.includes(undefined) || fallback !== undefined) return options
  return options.map((option, index) =>
    addPart(
      option,
      createTagSchema(
        property,
        (tags[index] ?? []).filter((tag) => tag !== undefined),
      ),
    ),
  )
}

/** From the mapping, the name, or else the values that the option lists. */
function findTags(
  key: string | undefined,
  mapping: Discriminator['mapping'],
  allowed: TagConstraints,
): readonly string[] {
  return key === undefined ? (allowed.tags ?? []) : listComponentTags(key, mapping, allowed.tags)
}

/**
 * Makes each component require the tags of the discriminators of its ancestors (`allOf`). A
 * component that is a parent itself stays open, as its children have other tags (OpenAPI 3.2.0,
 * "Models with Polymorphism Support").
 */
function tagChildren(root: JsonObject, discriminators: Discriminators): JsonObject {
  const { components } = discriminators
  const parents = new Set([...components.values()].flatMap(listParents))
  const listInherited = createInheritance(discriminators)
  const addTags = (schema: Json, key: string): Json => {
    if (parents.has(key)) return schema
    return [...listInherited(key)].reduce<Json>((before, property) => {
      const allowed = discriminators.allowed(components.get(key) ?? true, property)
      const tags = (discriminators.mappedTags(property, key) ?? [key]).filter(
        (tag) => allowed.tags?.includes(tag) ?? true,
      )
      return tags.length === 0 ? before : requireTag(before, property, tags, allowed)
    }, schema)
  }
  return mapMembers(root, (section, name) =>
    name === 'components' && isObject(section)
      ? mapMembers(section, (schemas, kind) =>
          kind === 'schemas' && isObject(schemas) ? mapMembers(schemas, addTags) : schemas,
        )
      : section,
  )
}

/** The discriminator properties that a component inherits. */
function createInheritance({
  components,
  find: of,
}: Discriminators): (key: string) => ReadonlySet<string> {
  const known = new Map<string, Set<string>>()
  const listInherited = (key: string): ReadonlySet<string> => {
    const found = known.get(key) ?? new Set()
    if (known.has(key)) return found
    known.set(key, found)
    for (const parent of listParents(components.get(key) ?? true)) {
      const schema = components.get(parent) ?? true
      const { property, fallback } =
        (readOwn(schema, 'oneOf') ?? readOwn(schema, 'anyOf')) === undefined
          ? (of(schema) ?? {})
          : {}
      if (property !== undefined && fallback !== key) found.add(property)
      for (const one of listInherited(parent)) found.add(one)
    }
    return found
  }
  return listInherited
}

/** A discriminator: its property, the tags of components, and the component without a tag. */
type Discriminator = {
  readonly property: string
  readonly mapping: ReadonlyMap<string, readonly string[]>
  readonly fallback?: string
}

/** All discriminators of a document. */
type Discriminators = {
  readonly count: number
  readonly components: Components
  /** Undefined for a schema without one, or with one that names a missing component. */
  readonly find: (schema: Json) => Discriminator | undefined
  /** The tags that the discriminators of a property map to a component. */
  readonly mappedTags: (property: string, key: string) => readonly string[] | undefined
  readonly allowed: (schema: Json, property: string) => TagConstraints
}

/** `written`: those before children were tagged, which changes none of them. */
function readDiscriminators(root: JsonObject, written?: Discriminators): Discriminators {
  const schemas = readOwn(readOwn(root, 'components'), 'schemas')
  const components: Components = new Map(isObject(schemas) ? Object.entries(schemas) : [])
  const find = written?.find ?? createFinder(components)
  const allowed = createTagReader(components, find)
  if (written !== undefined) return { ...written, components, allowed }
  const all = new Map<string, Map<string, Set<string>>>()
  let count = 0
  for (const schema of listSchemas(root, traits.discriminator)) {
    const discriminator = find(schema)
    if (discriminator === undefined) continue
    count++
    const { property, mapping } = discriminator
    const components = all.get(property) ?? new Map<string, Set<string>>()
    all.set(property, components)
    for (const [key, tags] of mapping) {
      const known = components.get(key)
      if (known === undefined) components.set(key, new Set(tags))
      else for (const tag of tags) known.add(tag)
    }
  }
  const findMapped = (property: string, key: string): readonly string[] | undefined => {
    const tags = all.get(property)?.get(key)
    return tags && [...tags]
  }
  return { count, components, find, mappedTags: findMapped, allowed }
}

/** Reads each discriminator once, whatever else of its schema changes. */
function createFinder(components: Components): (schema: Json) => Discriminator | undefined {
  const stated = listStatedTags(components)
  const known = new Map<Json, Discriminator | undefined>()
  return (schema) => {
    const written = readOwn(schema, 'discriminator')
    if (written === undefined) return undefined
    if (!known.has(written)) known.set(written, readDiscriminator(written, components, stated))
    return known.get(written)
  }
}

/** Maps every schema among these nodes, the inner ones first. */
function mapSchemas(
  node: Json,
  shape: Shape,
  among: ReadonlySet<Json>,
  change: (schema: JsonObject) => JsonObject,
): Json {
  if (!isObject(node) || !among.has(node)) return node
  const inner = mapSlots(node, shape, (child, childShape) =>
    mapSchemas(child, childShape, among, change),
  )
  return shape === 'schema' ? change(inner) : inner
}

/** Extensions by which a component states its own tag: of AutoRest, and of openapi-generator. */
const tagExtensions = ['x-ms-discriminator-value', 'x-discriminator-value']

function listStatedTags(components: Components): readonly (readonly [key: string, tag: string])[] {
  return [...components].flatMap(([key, schema]) => {
    const tags = tagExtensions.map((name) => readOwn(schema, name))
    const tag = tags.find((value) => typeof value === 'string')
    return tag === undefined ? [] : [[key, tag] as const]
  })
}

function readDiscriminator(
  discriminator: Json,
  components: Components,
  stated: readonly (readonly [key: string, tag: string])[],
): Discriminator | undefined {
  const property = readOwn(discriminator, 'propertyName')
  if (typeof property !== 'string') return undefined
  const [written, target] = [
    readOwn(discriminator, 'mapping'),
    readOwn(discriminator, 'defaultMapping'),
  ]
  const mapping = new Map<string, string[]>()
  for (const [tag, one] of isObject(written) ? Object.entries(written) : []) {
    const tags = mapping.get(parseTargetKey(one)) ?? []
    mapping.set(parseTargetKey(one), tags)
    tags.push(tag)
  }
  for (const [key, tag] of stated) if (!mapping.has(key)) mapping.set(key, [tag])
  const fallback = target === undefined ? [] : [parseTargetKey(target)]
  if (![...mapping.keys(), ...fallback].every((key) => components.has(key))) return undefined
  return { property, mapping, ...(fallback[0] !== undefined && { fallback: fallback[0] }) }
}

/** The component that a mapping names. Empty for anything else. */
function parseTargetKey(target: Json): string {
  return parseComponentKey(target) ?? ''
}
