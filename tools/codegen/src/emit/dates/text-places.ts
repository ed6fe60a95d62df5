import type { Api } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'
import { childrenOf } from '../children.js'
import { holder } from '../holds.js'
import { refsOf } from '../refs-of.js'
import { lookupIn } from '../resolve.js'
import { clashOf, type HasDates } from './clash.js'
import { isDateTime } from './convertible.js'

export type Clash = { readonly schema: Schema; readonly what: string }

export type TextPlaces = {
  /** Whether a schema has dates that are converted. */
  readonly has: HasDates
  /** Where dates stay text, and why. */
  readonly clashes: readonly Clash[]
}

/** A place that stays text may make another one stay so. More rounds than this are not worth it. */
const maxRounds = 8

/**
 * Finds the schemas whose dates stay text, as where they stand depends on more than a place. A
 * named schema within one stays text everywhere, so that its name means one type.
 */
export function textPlaces(api: Api, roots: readonly Schema[]): TextPlaces {
  const clashes: Clash[] = []
  const text = new Set<Schema>()
  const lookup = lookupIn(api)
  const names = new Set<string>()
  const addName = (name: string): void => {
    if (names.has(name)) return
    names.add(name)
    keep(lookup(name))
  }
  const keep = (schema: Schema): void => {
    text.add(schema)
    for (const name of refsOf(schema)) addName(name)
  }
  const below = (schema: Schema): readonly Schema[] => (text.has(schema) ? [] : childrenOf(schema))
  for (let round = 0; ; round++) {
    const holds = holder((schema) => isDateTime(schema) && !text.has(schema), below)
    // a round keeps its own view, so that its order does not matter
    const has: HasDates = (schema) => !text.has(schema) && holds(api, schema)
    const found = roots.flatMap((root) => clashesIn(api, root, has, below))
    clashes.push(...found)
    const isLast = round === maxRounds
    for (const schema of isLast && found.length > 0 ? roots : found.map(({ schema }) => schema)) keep(schema)
    if (found.length === 0 || isLast) return { has: (schema) => !text.has(schema) && holds(api, schema), clashes }
  }
}

function clashesIn(api: Api, root: Schema, has: HasDates, below: (schema: Schema) => readonly Schema[]): readonly Clash[] {
  const found: Clash[] = []
  const stack = [root]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const what = clashOf(api, next, has)
    if (what === undefined) stack.push(...below(next))
    else found.push({ schema: next, what })
  }
  return found
}
