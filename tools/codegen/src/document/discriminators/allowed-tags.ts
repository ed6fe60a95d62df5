import { memoize, isList, isObject, readOwn } from '../json.js'
import type { Json, JsonObject } from '../json.js'
import { findComponentKey, findSlot } from '../shape.js'

export type Components = ReadonlyMap<string, Json>

/** Undefined: any string. */
type Strings = readonly string[] | undefined

/**
 * The tags of a component that is an option: from the mapping, its name, or else the strings that
 * it allows.
 */
export function listComponentTags(
  key: string,
  mapping: ReadonlyMap<string, readonly string[]>,
  allowed: readonly string[] | undefined,
): readonly string[] {
  const mappedTags = mapping.get(key)
  if (mappedTags === undefined && allowed?.includes(key) === false) return allowed
  return (mappedTags ?? [key]).filter((tag) => allowed?.includes(tag) ?? true)
}

/** The discriminator of a schema. */
type FindDiscriminator = (
  schema: Json,
) =>
  | { readonly property: string; readonly mapping: ReadonlyMap<string, readonly string[]> }
  | undefined

/** The constraints of a schema on a property, and whether it forbids other properties. */
type Facts = {
  readonly required: boolean
  readonly named: boolean
  readonly closed: boolean
  readonly strings: Strings
}

const nothing: Facts = { required: false, named: false, closed: false, strings: undefined }

/** The constraints of a schema on its tag property. */
export type TagConstraints = {
  readonly required: boolean
  /** Undefined: any string. Empty: no string, for example where it is a number or forbidden. */
  readonly tags: readonly string[] | undefined
}

/**
 * Reads the tags that a schema allows, as far as it, its references and its `allOf` list them.
 * Caches the result for each component.
 */
export function createTagReader(
  components: Components,
  find: FindDiscriminator,
): (schema: Json, property: string) => TagConstraints {
  const facts = new Map<string, Facts>()
  const strings = new Map<string, Strings>()
  return (schema, property) => {
    const { required, named, closed, strings: tags } = readFacts(schema, property)
    return { required, tags: closed && !named ? [] : tags }
  }

  function readFacts(schema: Json, property: string): Facts {
    const described = readOwn(readOwn(schema, 'properties'), property)
    const closed =
      readOwn(schema, 'additionalProperties') === false ||
      readOwn(schema, 'unevaluatedProperties') === false
    const names = readOwn(schema, 'required')
    const here = {
      required: isList(names) && names.includes(property),
      named: described !== undefined,
      closed,
      strings: described === undefined ? undefined : listStrings(described),
    }
    const parts = [
      ...listParts(schema).map((part) => read(part, property)),
      ...readChoices(schema, property),
    ]
    return parts.reduce<Facts>((before, next) => {
      return {
        required: before.required || next.required,
        named: before.named || next.named,
        closed: before.closed || next.closed,
        strings: intersect(before.strings, next.strings),
      }
    }, here)
  }

  function read(part: Json, property: string): Facts {
    const key = findComponentKey(part)
    return key === undefined
      ? readFacts(part, property)
      : memoize(facts, `${property}\n${key}`, nothing, () =>
          readFacts(components.get(key) ?? true, property),
        )
  }

  /** What all options of a choice have in common. */
  function readChoices(schema: Json, property: string): readonly Facts[] {
    return ['oneOf', 'anyOf'].flatMap((keyword) => {
      const options = readOwn(schema, keyword)
      if (!isList(options) || options.length === 0) return []
      const all = options.map((option) => ({
        ...read(option, property),
        ...readDiscriminatorTags(schema, option, property),
      }))
      return [
        {
          required: all.every(({ required }) => required),
          named: all.some(({ named }) => named),
          closed: all.every(({ closed }) => closed),
          strings: all.reduce<Strings>(
            (before, { strings }) => before && strings && [...new Set([...before, ...strings])],
            [],
          ),
        },
      ]
    })
  }

  /** The tags that the discriminator of an inner choice gives to one of its options. */
  function readDiscriminatorTags(choice: Json, option: Json, property: string): Partial<Facts> {
    const discriminator = find(choice)
    const key = findAlias(option, components)
    if (discriminator?.property !== property || key === undefined) return {}
    const { strings } = read(option, property)
    const tags = listComponentTags(key, discriminator.mapping, strings)
    return tags.length === 0 ? {} : { required: true, named: true, strings: tags }
  }

  function listStrings(schema: Json): Strings {
    return listParts(schema).reduce<Strings>((before, part) => {
      const key = findComponentKey(part)
      return intersect(
        before,
        key === undefined
          ? listStrings(part)
          : memoize(strings, key, undefined, () => listStrings(components.get(key) ?? true)),
      )
    }, listLiteralStrings(schema))
  }
}

/**
 * A tag as the value of a property that takes no strings, such as `true` (OpenAPI 3.2.0,
 * "Discriminator Object": a tool may convert them). Undefined if no such value is written so.
 */
export function readLiteral(tag: string, types: ReadonlySet<string>): Json | undefined {
  const word = tag.toLowerCase()
  if (types.has('boolean') && (word === 'true' || word === 'false')) return word === 'true'
  const value = /^\s*$/.test(tag) ? NaN : Number(tag)
  if (types.has('integer') && Number.isSafeInteger(value)) return value
  return types.has('number') && Number.isFinite(value) ? value : undefined
}

/**
 * The types that a schema states for a property, as far as its references and `allOf` lead. None if
 * it lists the values itself.
 */
export function listPropertyTypes(
  schema: Json,
  property: string,
  components: Components,
): ReadonlySet<string> {
  const types = new Set<string>()
  const seen = new Set<Json>()
  let isListed = false
  const visit = (node: Json, isProperty: boolean): void => {
    if (seen.has(node)) return
    seen.add(node)
    const key = findComponentKey(node)
    if (key !== undefined) visit(components.get(key) ?? true, isProperty)
    const [type, all] = [isProperty ? readOwn(node, 'type') : undefined, readOwn(node, 'allOf')]
    for (const one of [type].flat()) if (typeof one === 'string') types.add(one)
    isListed ||= isProperty && (readOwn(node, 'const') ?? readOwn(node, 'enum')) !== undefined
    for (const part of isList(all) ? all : []) visit(part, isProperty)
    if (!isProperty) visit(readOwn(readOwn(node, 'properties'), property) ?? true, true)
  }
  visit(schema, false)
  return isListed ? new Set() : types
}

/** The component that a schema only refers to, directly or as the only part of `allOf`. */
export function findAlias(schema: Json, components: Components): string | undefined {
  const all = readOwn(schema, 'allOf')
  const one = isList(all) && all.length === 1 ? (all[0] ?? null) : schema
  if (
    ![schema, one].every((node) =>
      Object.keys(isObject(node) ? node : {}).every(
        (key) => findSlot('schema', key) === undefined || key === 'allOf',
      ),
    )
  )
    return undefined
  const key = findComponentKey(one)
  return key !== undefined && components.has(key) ? key : undefined
}

/** The components in the `allOf` of a schema. */
export function listParents(schema: Json): readonly string[] {
  const all = readOwn(schema, 'allOf')
  return isList(all) ? all.flatMap((part) => findComponentKey(part) ?? []) : []
}

/** The other schemas of the same value: each is a reference, or a schema without one. */
function listParts(schema: Json): readonly Json[] {
  const [all, ref] = [readOwn(schema, 'allOf'), readOwn(schema, '$ref')]
  return [...(isList(all) ? all : []), ...(ref === undefined ? [] : [{ $ref: ref }])]
}

function listLiteralStrings(schema: Json): Strings {
  if (schema === false) return []
  if (!isObject(schema)) return undefined
  const constant = readOwn(schema, 'const')
  const values = constant === undefined ? readOwn(schema, 'enum') : [constant]
  if (isList(values)) return values.filter((value) => typeof value === 'string')
  const type = readOwn(schema, 'type')
  return type === undefined || [type].flat().includes('string') ? undefined : []
}

function intersect(a: Strings, b: Strings): Strings {
  return a === undefined ? b : b === undefined ? a : a.filter((text) => b.includes(text))
}

/** An object whose property is one of these values. */
export function createTagSchema(property: string, tags: readonly Json[]): JsonObject {
  return { type: 'object', required: [property], properties: { [property]: { enum: tags } } }
}

/** Requires one of these allowed tags. Returns the schema itself if it already does. */
export function requireTag(
  schema: Json,
  property: string,
  tags: readonly string[],
  allowed: TagConstraints,
): Json {
  return allowed.required && allowed.tags?.length === tags.length
    ? schema
    : addPart(schema, createTagSchema(property, tags))
}

/** Moves no node below the schema, so pointers stay valid. */
export function addPart(schema: Json, part: JsonObject): Json {
  if (!isObject(schema) || readOwn(schema, '$ref') !== undefined) return { allOf: [schema, part] }
  const parts = readOwn(schema, 'allOf')
  return { ...schema, allOf: [...(isList(parts) ? parts : []), part] }
}
