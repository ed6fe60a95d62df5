import type { Json } from '../ir/schema.js'
import type { ValidationContext } from './validation-context.js'

/**
 * Remembers a result for each reference and value. References that nest, such as `anyOf` within
 * `anyOf`, can reach the same schema on exponentially many paths; this visits it once for each
 * value.
 */
export function perReference<T>(): (context: ValidationContext, reference: string, value: Json, find: () => T) => T {
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
