import { allowedTags } from './allowed-tags.js'
import type { Allowed, Components } from './allowed-tags.js'
import { componentKey } from '../forms/marks.js'
import { isObject, own } from '../json.js'
import type { Json, JsonObject } from '../json.js'
import { mapSlots } from '../map-members.js'
import type { Shape } from '../shape.js'

/** A discriminator: its property, the tags of components, and the component without a tag. */
export type Discriminator = {
  readonly property: string
  readonly mapping: ReadonlyMap<string, readonly string[]>
  readonly fallback?: string
}

/** All discriminators of a document. */
export type Discriminators = {
  readonly components: Components
  /** Undefined for a schema without one, or with one that names a missing component. */
  readonly find: (schema: Json) => Discriminator | undefined
  /** The tags that the discriminators of a property map to a component. */
  readonly mappedTags: (property: string, key: string) => readonly string[] | undefined
  readonly allowed: (schema: Json, property: string) => Allowed
}

export function readDiscriminators(root: JsonObject): Discriminators {
  const schemas = own(own(root, 'components'), 'schemas')
  const components: Components = new Map(isObject(schemas) ? Object.entries(schemas) : [])
  const all = new Map<string, Set<string>>()
  const known = new Map<Json, Discriminator | undefined>()
  const find = (schema: Json): Discriminator | undefined => {
    if (!known.has(schema)) known.set(schema, readDiscriminator(schema, components))
    return known.get(schema)
  }
  mapSchemas(root, 'document', (schema) => {
    const { property = '', mapping = [] } = find(schema) ?? {}
    for (const [key, tags] of mapping) {
      const known = all.get(`${property}\n${key}`) ?? new Set()
      all.set(`${property}\n${key}`, known)
      for (const tag of tags) known.add(tag)
    }
    return schema
  })
  const mappedTags = (property: string, key: string): readonly string[] | undefined => {
    const tags = all.get(`${property}\n${key}`)
    return tags && [...tags]
  }
  return { components, find, mappedTags, allowed: allowedTags(components, find) }
}

/** Maps every schema of a document, the inner ones first. */
export function mapSchemas(
  node: Json,
  shape: Shape,
  change: (schema: JsonObject) => JsonObject,
): Json {
  if (!isObject(node)) return node
  const inner = mapSlots(node, shape, (child, childShape) => mapSchemas(child, childShape, change))
  return shape === 'schema' ? change(inner) : inner
}

function readDiscriminator(schema: Json, components: Components): Discriminator | undefined {
  const discriminator = own(schema, 'discriminator')
  const property = own(discriminator, 'propertyName')
  if (typeof property !== 'string') return undefined
  const [written, target] = [own(discriminator, 'mapping'), own(discriminator, 'defaultMapping')]
  const mapping = new Map<string, string[]>()
  for (const [tag, one] of isObject(written) ? Object.entries(written) : []) {
    const tags = mapping.get(targetKey(one)) ?? []
    mapping.set(targetKey(one), tags)
    tags.push(tag)
  }
  const fallback = target === undefined ? [] : [targetKey(target)]
  if (![...mapping.keys(), ...fallback].every((key) => components.has(key))) return undefined
  return { property, mapping, ...(fallback[0] !== undefined && { fallback: fallback[0] }) }
}

/** The component that a mapping names. Empty for anything else. */
function targetKey(target: Json): string {
  return (typeof target === 'string' ? componentKey(target) : undefined) ?? ''
}
