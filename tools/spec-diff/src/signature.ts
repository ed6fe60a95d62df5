import type { Schema } from '@farebox/codegen'

/** A text for the values of a schema. Equal texts mean equal sets. Refs appear by name. */
export const signature = oncePer((schema: Schema) => writtenAs(schema, (name) => name))

/** The same with other names for the referenced schemas; also for a rule that contains schemas. */
export function writtenAs(rule: object, named: (name: string) => string): string {
  return JSON.stringify(rule, (key, value: unknown) => {
    if (key === 'notes' || key === 'cyclic') return undefined
    if (!isSchema(value)) return value
    if (value.kind === 'ref') return { kind: 'ref', name: named(value.name) }
    // values are data: a key that looks like a note is not one
    return value.kind === 'enum' ? { kind: 'enum', text: JSON.stringify(value.values) } : value
  })
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && 'kind' in value && 'notes' in value
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
