import type { Json } from '../ir/schema.js'
import type { Court } from './accepts.js'

/**
 * What is known of a value behind a reference. A schema may lead to the same one in more ways than
 * could be tried, as `anyOf` of what is itself `anyOf` does; with this each is tried once for a
 * value.
 */
export function perReference<T>(): (context: Court, reference: string, value: Json, find: () => T) => T {
  const memories = new WeakMap<Court, Map<string, Map<Json, T>>>()
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
