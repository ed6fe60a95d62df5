import type { Json, Schema } from '../ir/schema.js'
import { accepts } from './accepts.js'
import { isFormat } from './is-format.js'

/** Whether a schema takes a value, with formats asserted, as the validators have it. `lookup` finds what a reference names. */
export function admits(schema: Schema, value: Json, lookup: (name: string) => Schema): boolean {
  return accepts(schema, value, { lookup, isFormat })
}
