import type { Api, Operation, Schema } from '@farebox/codegen/model'
import {
  type Cache,
  createMeanings,
  hasSameSignature,
  type Includes,
  memoize,
  type Reader,
  type Resolve,
} from '../values/signature.js'
import { toShape, type Shape } from '../values/shape.js'
import { findSameness, type Sameness } from '../values/sameness.js'
import { createDifferenceSearch, type FindDifference, type IsIncluded } from './find-difference.js'
import { createExclusion, type Excludes } from '../values/exclusion.js'
import { createInclusion } from '../values/inclusion.js'
import { createNormalizer, normalizeOperation } from '../values/normalize.js'

/** One of the two documents, for reading schemas. All schemas that it gives are normalized. */
export type Side = Reader & {
  readonly normalize: (schema: Schema) => Schema
  readonly normalizeOperation: (operation: Operation) => Operation
  /** The shape of a schema. */
  readonly shape: (schema: Schema) => Shape
  /** Whether it is proven that the other side's schema accepts each value of one of this side. */
  readonly within: Includes
  /** The same by the structure of the schemas only, which is fast. */
  readonly withinByStructure: Includes
}

export type Sides = {
  readonly base: Side
  readonly head: Side
  readonly sameness: Sameness
  /** The names with other values in one document, and all that refer to one of them. */
  readonly changed: ReadonlySet<string>
  readonly findDifference: FindDifference
}

/** How many steps the proofs have for each schema, for each operation, and in any document. */
const steps = { schema: 40, operation: 200, any: 50_000 }
/** How many steps each search for a difference has, and how many more those that need them. */
const stepsOfSearch = { each: 50, most: 2000, factor: 2, all: 20_000 }

export function createSides(base: Api, head: Api): Sides {
  const sameness = findSameness(base, head)
  // a schema that both share refers to what is equal, so its results serve both
  const known = { normal: new Map(), shapes: new Map() }
  const excludes = createExclusion()
  const [before, after] = [createReader(base, known, excludes), createReader(head, known, excludes)]
  const meanings = createMeanings()
  const changed = sameness.withUsers(
    sameness.differing.filter((name) => {
      const [one, other] = [before.resolve(name), after.resolve(name)]
      return !hasSameSignature(one, other)
    }),
  )
  const withMeaning = (reader: ReturnType<typeof createReader>, mark: string) => ({
    ...reader,
    meaning: meanings((name) => (changed.has(name) ? `${name} ${mark}` : name)),
  })
  const [one, other] = [withMeaning(before, 'before'), withMeaning(after, 'after')]
  const allowed = { left: countSteps(base) + countSteps(head) + steps.any }
  const prove = (from: Reader, to: Reader) => createInclusion(from, to, allowed, excludes)
  const [forward, backward] = [prove(one, other), prove(other, one)]
  const [withinOne, withinOther] = [prove(one, one), prove(other, other)]
  const isIncluded: IsIncluded = (part, whole) => {
    const isOlder = whole.resolve === one.resolve
    if (part.resolve === one.resolve)
      return (isOlder ? withinOne : forward)(part.schema, whole.schema)
    return (
      part.resolve === other.resolve &&
      (isOlder ? backward : withinOther)(part.schema, whole.schema)
    )
  }
  const searches = { left: Math.min(stepsOfSearch.factor * allowed.left, stepsOfSearch.all) }
  const findDifference = createDifferenceSearch(isIncluded, excludes)
  /** By the structure of the schemas, which is fast, and then by the search for a difference. */
  const createProof = (from: Reader, to: Reader): Includes => {
    const known = new Map<Schema, Map<Schema, boolean>>()
    return (schema, whole) => {
      const part = { schema, resolve: from.resolve }
      const other = { schema: whole, resolve: to.resolve }
      if (isIncluded(part, other)) return true
      const byWhole = known.get(schema) ?? new Map<Schema, boolean>()
      known.set(schema, byWhole)
      const found = byWhole.get(whole)
      if (found !== undefined) return found
      const { each, most } = stepsOfSearch
      const mine = { left: each + Math.min(most, searches.left) }
      const given = mine.left
      const isProven = findDifference(part, other, mine) === 'none'
      searches.left -= Math.max(0, given - each - Math.max(0, mine.left))
      byWhole.set(whole, isProven)
      return isProven
    }
  }
  return {
    base: { ...one, within: createProof(one, other), withinByStructure: forward },
    head: { ...other, within: createProof(other, one), withinByStructure: backward },
    findDifference,
    sameness,
    changed,
  }
}

function countSteps({ schemas, operations }: Api): number {
  return steps.schema * schemas.length + steps.operation * operations.length
}

type SchemaCaches = {
  readonly normal: Cache<Schema, { readonly made: Schema }>
  readonly shapes: Cache<Schema, { readonly made: Shape }>
}

function createReader(
  { schemas }: Api,
  { normal, shapes }: SchemaCaches,
  excludes: Excludes,
): Omit<Side, 'meaning' | 'within' | 'withinByStructure'> {
  const byName = new Map(schemas.map(({ name, schema }) => [name, schema]))
  const find: Resolve = (name) => {
    const schema = byName.get(name)
    if (schema === undefined) throw new Error(`The schema ${name} is referred to and not there`)
    return schema
  }
  const normalize = createNormalizer(find, normal, excludes)
  const resolve: Resolve = (name) => normalize(find(name))
  return {
    resolve,
    normalize,
    normalizeOperation: (operation) => normalizeOperation(operation, normalize),
    shape: memoize((schema) => toShape(schema, resolve), shapes),
  }
}
