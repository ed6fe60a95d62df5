import type { Schema, Json } from '../ir/schema.js'

/** What a verdict depends on beside the schema and the value. */
export type ValidationContext = {
  /** Finds the schema that a reference names. */
  readonly lookup: (name: string) => Schema
  /** Whether a value has a format. Default: every value has every format. */
  readonly isFormat?: (format: string, value: string | number) => boolean
  /**
   * Whether a pattern matches somewhere in a string. Default: without a time limit.
   */
  readonly matches?: (pattern: string, text: string) => boolean
}

/**
 * Caches a result for each reference and value. References that nest, such as `anyOf` within
 * `anyOf`, can reach the same schema on exponentially many paths; this visits it once for each
 * value.
 */
export function perReference<T>(): (
  context: ValidationContext,
  reference: string,
  value: Json,
  find: () => T,
) => T {
  const memories = new WeakMap<ValidationContext, Map<string, Map<Json, T>>>()
  return (context, reference, value, find) => {
    const memory = memories.get(context) ?? new Map<string, Map<Json, T>>()
    memories.set(context, memory)
    const known = memory.get(reference) ?? new Map<Json, T>()
    memory.set(reference, known)
    const found = known.get(value)
    if (found !== undefined || known.has(value)) return found as T
    const fresh = find()
    known.set(value, fresh)
    return fresh
  }
}
