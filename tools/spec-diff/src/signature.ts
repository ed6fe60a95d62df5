import type { Schema } from '@farebox/codegen'

/** A string for the values of a schema. Equal strings mean equal sets. Refs appear by name. */
export const signature = oncePer((schema: Schema) => writtenAs(schema, (name) => name))

/**
 * The same with other names for the referenced schemas; also for a rule that contains schemas. The
 * order of properties, options and listed values has no effect.
 */
export function writtenAs(rule: unknown, named: (name: string) => string): string {
  if (typeof rule !== 'object' || rule === null) return JSON.stringify(rule)
  if (Array.isArray(rule)) return `[${rule.map((one) => writtenAs(one, named)).join()}]`
  if (isSchema(rule)) {
    if (rule.kind === 'ref') return `ref ${JSON.stringify(named(rule.name))}`
    if (rule.kind === 'enum') return `enum [${rule.values.map(canonical).toSorted().join()}]`
    if (rule.kind === 'union')
      return `union [${rule.options
        .map((one) => writtenAs(one, named))
        .toSorted()
        .join()}]`
    if (rule.kind === 'object')
      return members(
        { ...rule, properties: rule.properties.toSorted((a, b) => (a.name < b.name ? -1 : 1)) },
        named,
      )
  }
  return members(rule, named)
}

function members(rule: object, named: (name: string) => string): string {
  const parts: string[] = []
  for (const key of Object.keys(rule).toSorted()) {
    const value: unknown = rule[key as keyof typeof rule]
    if (value !== undefined && !annotations.has(key))
      parts.push(`${key}:${writtenAs(value, named)}`)
  }
  return `{${parts.join()}}`
}

/** What has no effect on the set of values. */
const annotations = new Set(['notes', 'cyclic', 'content', 'encoding', 'as'])

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

function isSchema(value: object): value is Schema {
  return 'kind' in value && 'notes' in value
}

/** The same function with a cache. */
export function oncePer<T>(make: (schema: Schema) => T): (schema: Schema) => T {
  const known = new WeakMap<Schema, { readonly made: T }>()
  return (schema) => {
    const found = known.get(schema) ?? { made: make(schema) }
    known.set(schema, found)
    return found.made
  }
}
