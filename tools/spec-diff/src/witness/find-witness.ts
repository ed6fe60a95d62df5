import { admits, isObject, type Json } from '@farebox/codegen/model'
import { createDifferenceSearch, type FindDifference } from '../difference/find-difference.js'
import { findString } from '../values/languages.js'
import type { Resolve, VersionedSchema } from '../values/signature.js'
import { createCandidates, takeFirst, type Part } from './candidates.js'

/**
 * Finds the shortest of the tried values that one version accepts and the other rejects. The values
 * come from the edges of both schemas, or of the one that is named. Undefined if there is no such
 * value among them, which proves nothing.
 */
export type FindWitness = (
  accepting: VersionedSchema,
  rejecting: VersionedSchema,
  edges?: 'accepting' | 'rejecting',
) => Json | undefined

/** How many values of each version are tried for one change. */
const budget = 60
/** How many more are tried once one is found. */
const budgetForShorter = 8
/** How many references one search follows. Schemas may refer to each other in endless ways. */
const hopsOfSearch = 2000
/** How many steps a search by the rules themselves has, if nothing else is found. */
const stepsOfDifference = 20_000
/** How many references all searches of a comparison follow: some seconds. */
export const hopsOfAll = 3_000_000

/** Searches with a common limit of references. Once it is reached, nothing more is found. */
export function createWitnessFinder(
  hops: number,
  findDifference: FindDifference = createDifferenceSearch(),
): FindWitness {
  let [left, mine] = [hops, 0]
  const readers = new WeakMap<Resolve, Reader>()
  const read = (resolve: Resolve): Reader => {
    const known = readers.get(resolve)
    if (known !== undefined) return known
    const resolveWithinLimit: Resolve = (name) => {
      if (mine-- <= 0) throw new SearchExhaustedError()
      return resolve(name)
    }
    const reader = { resolve: resolveWithinLimit, candidates: createCandidates(resolveWithinLimit) }
    readers.set(resolve, reader)
    return reader
  }
  const within = (hops: number, run: () => void): void => {
    const allowed = Math.min(left, hops)
    mine = allowed
    try {
      run()
    } catch (error) {
      if (!(error instanceof SearchExhaustedError)) throw error
    }
    left -= allowed - Math.max(0, mine)
  }
  return (accepting, rejecting, edges) => {
    const found: FoundWitness = {}
    const one: Part = { schema: accepting.schema, ...read(accepting.resolve) }
    const other: Part = { schema: rejecting.schema, ...read(rejecting.resolve) }
    within(hopsOfSearch, () => search(one, other, listSources(one, other, edges), found))
    if (found.value !== undefined || edges !== undefined) return found.value
    const steps = { left: Math.min(left, stepsOfDifference) }
    const before = steps.left
    const difference = findDifference(accepting, rejecting, steps)
    left -= before - Math.max(0, steps.left)
    return typeof difference === 'object' ? difference.value : undefined
  }
}

class SearchExhaustedError extends Error {
  override readonly name = 'SearchExhaustedError'
}

type Reader = Omit<Part, 'schema'>
type FoundWitness = { value?: Json; length?: number }

function listSources(
  accepting: Part,
  rejecting: Part,
  edges: 'accepting' | 'rejecting' | undefined,
): readonly Iterable<Json>[] {
  if (edges !== undefined) return [list(edges === 'accepting' ? accepting : rejecting)]
  return [
    listStrings(accepting, rejecting),
    list(accepting),
    list(rejecting),
    listMerged(accepting, rejecting),
  ]
}

function search(
  accepting: Part,
  rejecting: Part,
  sources: readonly Iterable<Json>[],
  found: FoundWitness,
): void {
  for (const values of sources) {
    let tries = found.value === undefined ? budget : budgetForShorter
    for (const value of values) {
      if (tries-- <= 0) break
      const { length } = JSON.stringify(value)
      if (length >= (found.length ?? Infinity)) continue
      if (
        !admits(accepting.schema, value, accepting.resolve) ||
        admits(rejecting.schema, value, rejecting.resolve)
      )
        continue
      if (found.value === undefined) tries = budgetForShorter
      found.value = value
      found.length = length
    }
  }
}

function list({ schema, candidates }: Part): Iterable<Json> {
  return candidates.list(schema)
}

/** A string that only one version accepts, by its pattern. */
function listStrings({ schema: one }: Part, { schema: other }: Part): Iterable<Json> {
  if (one.kind !== 'string' || other.kind !== 'string') return []
  if (one.pattern === undefined && other.pattern === undefined) return []
  const string = findString(one, other)
  return string === undefined ? [] : [string]
}

/** Objects that one version accepts, with members that only the other has a rule for. */
function* listMerged(accepting: Part, rejecting: Part): Iterable<Json> {
  const whole = accepting.candidates.valid(accepting.schema)
  if (!isObject(whole)) return
  for (const value of takeFirst(list(rejecting), budget))
    if (isObject(value)) yield { ...value, ...whole }
}
