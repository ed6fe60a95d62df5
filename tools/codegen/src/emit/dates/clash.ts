import type { Api } from '../../ir/api.js'
import type { Of, Schema } from '../../ir/schema.js'
import { resolveRef } from '../resolve.js'
import { isDateTime } from './convertible.js'

/** Says whether a schema has dates that may be converted. */
export type HasDates = (schema: Schema) => boolean

/**
 * Why the dates of a schema cannot be found in a value of it without the schema's verdict, or why
 * they must stay text for it; undefined where each stands in a place that is known.
 */
export function clashOf(api: Api, schema: Schema, has: HasDates): string | undefined {
  if (!has(schema)) return undefined
  if (schema.kind === 'union' || schema.kind === 'oneOf') return clashOfOptions(api, schema, has)
  if (schema.kind === 'intersection') return clashOfParts(api, schema, has)
  if (schema.kind === 'not' || schema.kind === 'conditional') return 'a date-time in a condition'
  if (schema.kind === 'unevaluated') return 'a date-time beside unevaluated properties or items'
  if (schema.kind === 'array' && (schema.contains !== undefined || schema.unevaluated !== undefined))
    return 'a date-time in a list with rules for some of its items'
  if (schema.kind === 'array' && schema.unique) return 'a date-time in a list whose items differ as text'
  if (schema.kind === 'object' && schema.patterns.length + schema.dependentSchemas.length > 0)
    return 'a date-time in an object with rules for some of its properties'
  return undefined
}

function clashOfOptions(api: Api, schema: Of<'union'> | Of<'oneOf'>, has: HasDates): string | undefined {
  if (schema.kind === 'oneOf' && schema.discriminator !== undefined) return undefined
  const leaves = leavesOf(api, schema, ['union', 'oneOf']).map((leaf) => ({ leaf, types: typesOf(api, leaf) }))
  const counts = new Map<string, number>()
  for (const type of leaves.flatMap(({ types }) => types)) counts.set(type, (counts.get(type) ?? 0) + 1)
  const clashes = leaves.some(({ leaf, types }) => types.some((type) => (counts.get(type) ?? 0) > 1) && has(leaf))
  return clashes ? 'a date-time in one of several options that a value can be of' : undefined
}

/** Parts must say the same of each property that holds dates. */
function clashOfParts(api: Api, schema: Schema, has: HasDates): string | undefined {
  const leaves = leavesOf(api, schema, ['intersection']).filter(({ kind }) => kind !== 'any')
  if (leaves.every(isDateTime)) return undefined
  const found = 'a date-time of which another part of an allOf says something else'
  const seen = new Map<string, Schema>()
  for (const leaf of leaves) {
    if (leaf.kind !== 'object' || (leaf.additional.kind !== 'any' && leaf.additional.kind !== 'never')) return found
    for (const { name, schema: property } of leaf.properties) {
      const other = seen.get(name)
      seen.set(name, property)
      if (other !== undefined && (has(property) || has(other)) && !agree(api, property, other)) return found
    }
  }
  return undefined
}

/** Whether two parts say the same of a property, or one of them nothing of what stands in it. */
function agree(api: Api, one: Schema, other: Schema): boolean {
  const [a, b] = [resolveRef(api, one), resolveRef(api, other)]
  return a === b || (isDateTime(a) && isDateTime(b)) || isBare(api, a) || isBare(api, b)
}

/** Any value, any object, or a list of such. */
function isBare(api: Api, schema: Schema): boolean {
  let node = resolveRef(api, schema)
  while (node.kind === 'array' && node.prefix.length === 0) node = resolveRef(api, node.items)
  if (node.kind !== 'object') return node.kind === 'any'
  return node.properties.length + node.patterns.length + node.dependentSchemas.length === 0 && node.additional.kind === 'any'
}

/** What choices within choices come to, or parts of parts, each once. */
function leavesOf(api: Api, schema: Schema, kinds: readonly Schema['kind'][]): readonly Schema[] {
  const seen = new Set<Schema>()
  const stack = [schema]
  const leaves: Schema[] = []
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const node = resolveRef(api, next)
    if (seen.has(node)) continue
    seen.add(node)
    if (!kinds.includes(node.kind) || isTagged(node)) leaves.push(node)
    else if (node.kind === 'union' || node.kind === 'oneOf') stack.push(...node.options)
    else if (node.kind === 'intersection') stack.push(...node.parts)
  }
  return leaves
}

function isTagged(node: Schema): boolean {
  return node.kind === 'oneOf' && node.discriminator !== undefined
}

const every = ['string', 'object', 'array']

/** The types of JSON in which dates can stand, and which a value of a schema can have. */
function typesOf(api: Api, schema: Schema): readonly string[] {
  const node = resolveRef(api, schema)
  if (node.kind === 'string' || node.kind === 'binary') return ['string']
  if (node.kind === 'object' || isTagged(node)) return ['object']
  if (node.kind === 'array') return ['array']
  if (node.kind === 'enum') return [...new Set(node.values.map((value) => (Array.isArray(value) ? 'array' : typeof value)))]
  if (node.kind === 'number' || node.kind === 'boolean' || node.kind === 'null' || node.kind === 'never') return []
  if (node.kind !== 'intersection') return every
  const parts = leavesOf(api, node, ['intersection'])
  return every.filter((type) => parts.every((part) => part.kind === 'intersection' || typesOf(api, part).includes(type)))
}
