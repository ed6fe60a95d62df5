import type { Json, Notes, Of, Schema } from '@farebox/codegen/model'
import { memoize } from '../values/signature.js'

/** The notes of schemas that no document has. */
export const nowhere: Notes = { origin: { file: '', pointer: '' } }
export const anything: Schema = { kind: 'any', notes: nowhere }
export const nothing: Schema = { kind: 'never', notes: nowhere }

/** Any array, but for the given rules. */
export function createArray(rules: Partial<Of<'array'>>): Of<'array'> {
  return { kind: 'array', notes: nowhere, prefix: [], items: anything, unique: false, ...rules }
}

/** Any object, but for the given rules. */
export function createObject(rules: Partial<Of<'object'>>): Of<'object'> {
  return {
    kind: 'object',
    notes: nowhere,
    properties: [],
    alsoRequired: [],
    patterns: [],
    additional: anything,
    dependentRequired: [],
    dependentSchemas: [],
    ...rules,
  }
}

/** The same schema each time, so that what was found out about it is found again. */
export const negate: (schema: Schema) => Schema = memoize(
  (schema) => ({ kind: 'not', notes: nowhere, schema }),
  new WeakMap(),
)

/** One of some values. */
export function createEnum(values: readonly Json[]): Schema {
  return { kind: 'enum', notes: nowhere, values }
}
