import type { Schema } from '@farebox/codegen'

/**
 * What a schema says of its values, as text: two are equal when they mean the same in the same
 * words. Names of other schemas stand for them.
 */
export const signatureOf = oncePer((schema: Schema) => writtenAs(schema, (name) => name))

/**
 * The same with other names for the schemas that it refers to; also of a rule that holds schemas.
 */
export function writtenAs(rule: object, named: (name: string) => string): string {
  return JSON.stringify(rule, (key, value: unknown) => {
    if (key === 'notes' || key === 'cyclic') return undefined
    if (!isSchema(value)) return value
    if (value.kind === 'ref') return { kind: 'ref', name: named(value.name) }
    // values are data: what looks like a note in them is none
    return value.kind === 'enum' ? { kind: 'enum', text: JSON.stringify(value.values) } : value
  })
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && 'kind' in value && 'notes' in value
}

/** The same function, which answers for a schema once: many places ask. */
export function oncePer<T>(make: (schema: Schema) => T): (schema: Schema) => T {
  const known = new WeakMap<Schema, { readonly made: T }>()
  return (schema) => {
    const found = known.get(schema) ?? { made: make(schema) }
    known.set(schema, found)
    return found.made
  }
}
