import type { Json, Schema } from '../ir/schema.js'
import { accepts } from './accepts.js'
import { isFormat } from './is-format.js'
import { matchesInTime, SlowPattern } from './matches-in-time.js'

/**
 * Whether a schema accepts a value, with formats asserted as in the validators. `lookup` finds the
 * schema that a reference names. Rejects a value on which a pattern exceeds its time limit.
 */
export function admits(schema: Schema, value: Json, lookup: (name: string) => Schema): boolean {
  try {
    return accepts(schema, value, { lookup, isFormat, matches: matchesInTime() })
  } catch (error) {
    if (error instanceof SlowPattern) return false
    throw error
  }
}
