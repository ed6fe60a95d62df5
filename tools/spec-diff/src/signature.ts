import type { Schema } from '@farebox/codegen'

/** What a schema says of its values, as text: two are equal when they mean the same in the same words. Names of other schemas stand for them. */
export function signatureOf(schema: Schema): string {
  return JSON.stringify(schema, (key, value: unknown) => (key === 'notes' || key === 'cyclic' ? undefined : value))
}
