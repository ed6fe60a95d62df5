import { bounds } from '../contract/bounds.js'
import type { RefSchema, Resolve } from './contract.js'

/** The last part of a `$ref`, when it names a schema. */
export function schemaName(schema: RefSchema): string | undefined {
  return schema.$ref?.split('/').at(-1)
}

/** The type of a schema in few words: `string`, `list of LedgerEntry`, `number or null`. */
export function typeText(schema: RefSchema, resolve: Resolve): string {
  const of = (one: RefSchema) => typeText(one, resolve)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const resolved = resolve(schema)
  if (resolved.format === 'binary') return 'bytes'
  const options = resolved.anyOf ?? resolved.oneOf
  if (resolved.type === undefined && options !== undefined)
    return [...new Set(options.map(of))].join(' or ')
  if (resolved.type === 'array')
    return `list of ${resolved.items === undefined ? 'anything' : of(resolved.items)}`
  if (resolved.type === 'object') return schemaName(schema) ?? 'object'
  if (resolved.type === undefined)
    return resolved.enum === undefined ? (schemaName(schema) ?? 'anything') : 'one of'
  return [resolved.type].flat().join(' or ')
}

/** What else a value must be, each in few words. */
export function limits(schema: RefSchema, resolve: Resolve): readonly string[] {
  const resolved = resolve(schema)
  const { pattern, format } = resolved
  return [
    ...(format === undefined || format === 'binary' ? [] : [format]),
    ...bounds(resolved),
    ...(pattern === undefined ? [] : [pattern]),
  ]
}

/**
 * The object whose fields are to be listed below a value of this schema, if there is one: its own,
 * or that of its items.
 */
export function inner(schema: RefSchema, resolve: Resolve): RefSchema | undefined {
  const resolved = resolve(schema)
  if (resolved.properties !== undefined) return resolved
  return resolved.items === undefined ? undefined : inner(resolved.items, resolve)
}
