import type { Json } from '../ir/schema.js'

/** Removes fields that are `undefined`, which JSON does not have. */
export function omitUndefined(fields: Readonly<Record<string, Json | undefined>>): {
  readonly [key: string]: Json
} {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  )
}
