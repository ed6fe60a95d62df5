import { aliasedComponent, componentTags, requireTag, tagSchema, addPart } from './allowed-tags.js'
import type { Allowed } from './allowed-tags.js'
import { readDiscriminators, mapSchemas } from './discriminators.js'
import type { Discriminator, Discriminators } from './discriminators.js'
import { isList, own } from '../json.js'
import type { Json, JsonObject } from '../json.js'
import { mapMembers } from '../map-members.js'
import { tagChildren } from './tag-children.js'

/**
 * Whether a discriminator selects the schema that validates a value, as OpenAPI intends, or has no
 * effect on validation, as in JSON Schema.
 */
export const discriminatorModes = ['openapi', 'json-schema'] as const
export type DiscriminatorMode = (typeof discriminatorModes)[number]

/**
 * Expresses discriminators as JSON Schema (OpenAPI 3.2.0, "Discriminator Object"): an option of
 * `oneOf` or `anyOf` requires its tag, and so does a component whose parent has a discriminator. A
 * discriminator that does not distinguish the options stays a hint. No node moves, except a `$ref`
 * that is an option.
 */
export function tagSchemas(root: JsonObject): JsonObject {
  const tagged = tagChildren(root, readDiscriminators(root))
  const discriminators = readDiscriminators(tagged)
  return mapSchemas(tagged, 'document', (schema) => {
    const discriminator = discriminators.find(schema)
    if (discriminator === undefined) return schema
    return mapMembers(schema, (value, key) =>
      (key === 'oneOf' || key === 'anyOf') && isList(value)
        ? tagOptions(value, discriminator, discriminators)
        : value,
    )
  }) as JsonObject
}

/** Returns the options unchanged if one has no tag, or two have the same. */
function tagOptions(
  options: readonly Json[],
  { property, mapping, fallback }: Discriminator,
  { components, allowed }: Discriminators,
): readonly Json[] {
  const found = options.map((option) => {
    const key = aliasedComponent(option, components)
    if (key !== undefined && key === fallback) return { option, isDefault: true }
    return own(option, 'type') === 'null'
      ? { option }
      : { option, tags: findTags(key, mapping, allowed(option, property)) }
  })
  const all = found.flatMap(({ tags = [] }) => tags)
  const defaults = found.filter(({ isDefault }) => isDefault === true).length
  const isClear = new Set(all).size === all.length && found.every(({ tags }) => tags?.length !== 0)
  if (!isClear || defaults !== (fallback === undefined ? 0 : 1)) return options
  return found.map(({ option, isDefault, tags }) => {
    if (isDefault === true) return addPart(option, { not: tagSchema(property, all) })
    return tags === undefined
      ? option
      : requireTag(option, property, tags, allowed(option, property))
  })
}

/** From the mapping, the name, or else the values that the option lists. */
function findTags(
  key: string | undefined,
  mapping: Discriminator['mapping'],
  allowed: Allowed,
): readonly string[] {
  return key === undefined ? (allowed.tags ?? []) : componentTags(key, mapping, allowed.tags)
}
