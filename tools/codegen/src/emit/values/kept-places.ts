import type { Api } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'
import { listChildren, listRefs } from '../children.js'
import { holder } from '../holds.js'
import { createLookup } from '../resolve.js'
import { findClash, describeModes, type Conversion } from './clash.js'
import { convertedAs } from './convertible.js'
import type { ValueModes } from './modes.js'

export type Clash = { readonly schema: Schema; readonly what: string }

export type KeptPlaces = {
  /** Whether a schema contains a converted value. */
  readonly has: Conversion['has']
  /** Where values stay as in JSON, and why. */
  readonly clashes: readonly Clash[]
}

/** Keeping a place may affect other places. More rounds are not worth it. */
const maxRounds = 8

/**
 * Finds the schemas that stay as in JSON, as the place of a date or a bigint in them depends on
 * more than the path. A named schema within one is kept everywhere, so that its name has only one
 * type.
 */
export function keptPlaces(api: Api, roots: readonly Schema[], modes: ValueModes): KeptPlaces {
  const clashes: Clash[] = []
  const kept = new Set<Schema>()
  const words = describeModes(modes)
  const lookup = createLookup(api)
  const names = new Set<string>()
  const addName = (name: string): void => {
    if (names.has(name)) return
    names.add(name)
    keep(lookup(name))
  }
  const keep = (schema: Schema): void => {
    kept.add(schema)
    for (const name of listRefs(schema)) addName(name)
  }
  const below = (schema: Schema): readonly Schema[] =>
    kept.has(schema) ? [] : listChildren(schema)
  for (let round = 0; ; round++) {
    // a separate predicate for each round, so that the order does not matter
    const holds = holder(
      (schema) => convertedAs(schema, modes) !== undefined && !kept.has(schema),
      (schema) => below(schema),
    )
    const conversion: Conversion = {
      as: (schema) => convertedAs(schema, modes),
      has: (schema) => !kept.has(schema) && holds(api, schema),
    }
    const found = roots.flatMap((root) => findClashes(api, root, conversion, below, words))
    clashes.push(...found)
    const isLast = round === maxRounds
    for (const schema of isLast && found.length > 0 ? roots : found.map(({ schema }) => schema))
      keep(schema)
    if (found.length === 0 || isLast)
      return { has: (schema) => !kept.has(schema) && holds(api, schema), clashes }
  }
}

function findClashes(
  api: Api,
  root: Schema,
  conversion: Conversion,
  below: (schema: Schema) => readonly Schema[],
  words: string,
): readonly Clash[] {
  const found: Clash[] = []
  const stack = [root]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const where = findClash(api, next, conversion)
    if (where === undefined) stack.push(...below(next))
    else found.push({ schema: next, what: `${words} ${where}` })
  }
  return found
}
