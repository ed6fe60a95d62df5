import { admits, type Of, type Schema } from '@farebox/codegen'
import { joinedObject, ruleFor } from './join-objects.js'
import type { Resolve } from './resolve.js'

/**
 * Whether no value fits two of some options, by kinds, listed values, tags and closed
 * objects. Returns false if it is not certain.
 */
export function areDisjoint(options: readonly Schema[], resolve: Resolve): boolean {
  const seen = options.map((option) => behind(option, resolve))
  return seen.every((one, index) =>
    seen
      .slice(index + 1)
      .every((other) => excludes(one, other, resolve) || tellsApart(one, other, resolve)),
  )
}

function behind(schema: Schema, resolve: Resolve): Schema {
  let found = schema
  for (let hops = 0; found.kind === 'ref' && hops < 50; hops++) found = resolve(found.name)
  return found.kind === 'intersection' ? (joinedObject(found, resolve) ?? found) : found
}

/** By kinds and by listed values. */
function excludes(one: Schema, other: Schema, resolve: Resolve): boolean {
  if (one.kind === 'never' || other.kind === 'never') return true
  if (one.kind === 'enum') return one.values.every((value) => !admits(other, value, resolve))
  if (other.kind === 'enum') return excludes(other, one, resolve)
  return one.kind !== other.kind && kinds.has(one.kind) && kinds.has(other.kind)
}

/** Kinds that share no value. */
const kinds = new Set<Schema['kind']>(['null', 'boolean', 'number', 'string', 'array', 'object'])

/** Whether two objects exclude each other by the values of a property that one of them requires. */
function tellsApart(one: Schema, other: Schema, resolve: Resolve): boolean {
  if (one.kind !== 'object' || other.kind !== 'object') return false
  return [...listRequired(one), ...listRequired(other)].some((name) => {
    const [mine, theirs] = [ruleFor(one, name), ruleFor(other, name)]
    return (
      mine !== undefined &&
      theirs !== undefined &&
      excludes(behind(mine, resolve), behind(theirs, resolve), resolve)
    )
  })
}

function listRequired({ properties, alsoRequired }: Of<'object'>): readonly string[] {
  return [...properties.filter(({ required }) => required).map(({ name }) => name), ...alsoRequired]
}
