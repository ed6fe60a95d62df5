import type { Json } from '../ir/schema.js'

/** The fields that have a value, as JSON has no `undefined`. */
export function omitUndefined(fields: Readonly<Record<string, Json | undefined>>): { readonly [key: string]: Json } {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined))
}
