import { listParents, requireTag } from './allowed-tags.js'
import type { Discriminators } from './discriminators.js'
import { isObject, own } from '../json.js'
import type { Json, JsonObject } from '../json.js'
import { mapMembers } from '../map-members.js'

/**
 * Makes each component require the tags of the discriminators of its ancestors (`allOf`). A
 * component that is a parent itself stays open, as its children have other tags (OpenAPI 3.2.0,
 * "Models with Polymorphism Support").
 */
export function tagChildren(root: JsonObject, discriminators: Discriminators): JsonObject {
  const { components } = discriminators
  const parents = new Set([...components.values()].flatMap(listParents))
  const inherited = inheritedProperties(discriminators)
  const addTags = (schema: Json, key: string): Json => {
    if (parents.has(key)) return schema
    return [...inherited(key)].reduce<Json>((before, property) => {
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
function inheritedProperties({
  components,
  find: of,
}: Discriminators): (key: string) => ReadonlySet<string> {
  const known = new Map<string, Set<string>>()
  const inherited = (key: string): ReadonlySet<string> => {
    const found = known.get(key) ?? new Set()
    if (known.has(key)) return found
    known.set(key, found)
    for (const parent of listParents(components.get(key) ?? true)) {
      const schema = components.get(parent) ?? true
      const { property, fallback } =
        (own(schema, 'oneOf') ?? own(schema, 'anyOf')) === undefined ? (of(schema) ?? {}) : {}
      if (property !== undefined && fallback !== key) found.add(property)
      for (const one of inherited(parent)) found.add(one)
    }
    return found
  }
  return inherited
}
