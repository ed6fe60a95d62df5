import { allowedTags } from './allowed-tags.js'
import type { Allowed, Components } from './allowed-tags.js'
import { componentKey } from '../forms/marks.js'
import { isObject, own } from '../json.js'
import type { Json, JsonObject } from '../json.js'
import { mapSlots } from '../map-members.js'
import type { Shape } from '../shape.js'

/** What a discriminator says: its property, the tags of components, and which needs no tag. */
export type Discriminator = {
  readonly property: string
  readonly mapping: ReadonlyMap<string, readonly string[]>
  readonly fallback?: string
}

/** What the discriminators of a whole document say. */
export type Discriminators = {
  readonly components: Components
  /** Undefined where a schema has none, or one that names a missing component. */
  readonly of: (schema: Json) => Discriminator | undefined
  /** The tags that all discriminators of a property together map to a component. */
  readonly mapped: (property: string, key: string) => readonly string[] | undefined
  readonly allowed: (schema: Json, property: string) => Allowed
}

export function discriminatorsOf(root: JsonObject): Discriminators {
  const schemas = own(own(root, 'components'), 'schemas')
  const components: Components = new Map(isObject(schemas) ? Object.entries(schemas) : [])
  const all = new Map<string, Set<string>>()
  const known = new Map<Json, Discriminator | undefined>()
  const of = (schema: Json): Discriminator | undefined => {
    if (!known.has(schema)) known.set(schema, discriminatorOf(schema, components))
    return known.get(schema)
  }
  eachSchema(root, 'document', (schema) => {
    const { property = '', mapping = [] } = of(schema) ?? {}
    for (const [key, tags] of mapping) {
      const known = all.get(`${property}\n${key}`) ?? new Set()
      all.set(`${property}\n${key}`, known)
      for (const tag of tags) known.add(tag)
    }
    return schema
  })
  const mapped = (property: string, key: string): readonly string[] | undefined => {
    const tags = all.get(`${property}\n${key}`)
    return tags && [...tags]
  }
  return { components, of, mapped, allowed: allowedTags(components) }
}

/** Changes every schema of a document, the inner ones first. */
export function eachSchema(node: Json, shape: Shape, change: (schema: JsonObject) => JsonObject): Json {
  if (!isObject(node)) return node
  const inner = mapSlots(node, shape, (child, childShape) => eachSchema(child, childShape, change))
  return shape === 'schema' ? change(inner) : inner
}

function discriminatorOf(schema: Json, components: Components): Discriminator | undefined {
  const discriminator = own(schema, 'discriminator')
  const property = own(discriminator, 'propertyName')
  if (typeof property !== 'string') return undefined
  const [written, target] = [own(discriminator, 'mapping'), own(discriminator, 'defaultMapping')]
  const mapping = new Map<string, string[]>()
  for (const [tag, one] of isObject(written) ? Object.entries(written) : []) {
    const tags = mapping.get(keyOf(one)) ?? []
    mapping.set(keyOf(one), tags)
    tags.push(tag)
  }
  const fallback = target === undefined ? [] : [keyOf(target)]
  if (![...mapping.keys(), ...fallback].every((key) => components.has(key))) return undefined
  return { property, mapping, ...(fallback[0] !== undefined && { fallback: fallback[0] }) }
}

/** The component that a mapping names; empty for anything else. */
function keyOf(target: Json): string {
  return (typeof target === 'string' ? componentKey(target) : undefined) ?? ''
}
