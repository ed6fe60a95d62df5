import type { Json, Schema } from '../ir/schema.js'
import { accepts } from './accepts.js'
import { isFormat } from './is-format.js'
import { matchesInTime, SlowPattern } from './matches-in-time.js'

/**
 * Whether a schema takes a value, with formats asserted, as the validators have it. `lookup` finds
 * what a reference names. A value that a pattern is not done with in time is not taken.
 */
export function admits(schema: Schema, value: Json, lookup: (name: string) => Schema): boolean {
  try {
    return accepts(schema, value, { lookup, isFormat, matches: matchesInTime() })
  } catch (error) {
    if (error instanceof SlowPattern) return false
    throw error
  }
}
