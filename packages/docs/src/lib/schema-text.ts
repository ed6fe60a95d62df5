import { nameOf, resolve, type Schema } from './contract'

/** The type of a schema in few words: `string`, `list of LedgerEntry`, `number or null`. */
export function typeText(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const resolved = resolve(schema)
  if (resolved.format === 'binary') return 'bytes'
  const options = resolved.anyOf ?? resolved.oneOf
  if (resolved.type === undefined && options !== undefined) return [...new Set(options.map(typeText))].join(' or ')
  if (resolved.type === 'array') return `list of ${resolved.items === undefined ? 'anything' : typeText(resolved.items)}`
  if (resolved.type === 'object') return nameOf(schema) ?? 'object'
  if (resolved.type === undefined) return resolved.enum === undefined ? (nameOf(schema) ?? 'anything') : 'one of'
  return [resolved.type].flat().join(' or ')
}

/** What else a value must be, each in few words. */
export function limits(schema: Schema): readonly string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, format, exclusiveMinimum } = resolve(schema)
  return [
    ...(format === undefined || format === 'binary' ? [] : [format]),
    ...range(minimum, maximum, ''),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' items'),
    ...(pattern === undefined ? [] : [pattern]),
  ]
}

function range(least: number | undefined, most: number | undefined, unit: string): readonly string[] {
  if (least !== undefined && most !== undefined) return [least === most ? `${least}${unit}` : `${least} to ${most}${unit}`]
  if (least !== undefined) return [`at least ${least}${unit}`]
  return most === undefined ? [] : [`at most ${most}${unit}`]
}

/**
 * The object whose fields are to be listed below a value of this schema, if there is one: its own,
 * or that of its items.
 */
export function inner(schema: Schema): Schema | undefined {
  const resolved = resolve(schema)
  if (resolved.properties !== undefined) return resolved
  return resolved.items === undefined ? undefined : inner(resolved.items)
}
