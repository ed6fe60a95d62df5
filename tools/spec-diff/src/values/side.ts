import type { Api, Operation, Schema } from '@farebox/codegen'
import {
  createMeanings,
  hasSameSignature,
  type Includes,
  oncePer,
  type Reader,
  type Resolve,
} from './signature.js'
import { toShape, type Shape } from './shape.js'
import { findSameness, type Sameness } from './sameness.js'
import { createInclusion } from './inclusion.js'
import { createNormalizer, normalizeOperation } from './normalize.js'

/** One of the two documents, for reading schemas. All schemas that it gives are normalized. */
export type Side = Reader & {
  readonly normalize: (schema: Schema) => Schema
  readonly normalizeOperation: (operation: Operation) => Operation
  /** The shape of a schema. */
  readonly shape: (schema: Schema) => Shape
  /** Whether it is proven that the other side's schema accepts each value of one of this side. */
  readonly within: Includes
}

export type Sides = {
  readonly base: Side
  readonly head: Side
  readonly sameness: Sameness
  /** The names with other values in one document, and all that refer to one of them. */
  readonly changed: ReadonlySet<string>
}

/** How many steps the proofs have for each schema, for each operation, and in any document. */
const steps = { schema: 40, operation: 200, any: 2000 }

export function createSides(base: Api, head: Api): Sides {
  const sameness = findSameness(base, head)
  const [before, after] = [createReader(base), createReader(head)]
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
  return {
    base: { ...one, within: createInclusion(one, other, allowed) },
    head: { ...other, within: createInclusion(other, one, allowed) },
    sameness,
    changed,
  }
}

function countSteps({ schemas, operations }: Api): number {
  return steps.schema * schemas.length + steps.operation * operations.length
}

function createReader({ schemas }: Api): Omit<Side, 'meaning' | 'within'> {
  const byName = new Map(schemas.map(({ name, schema }) => [name, schema]))
  const find: Resolve = (name) => {
    const schema = byName.get(name)
    if (schema === undefined) throw new Error(`The schema ${name} is referred to and not there`)
    return schema
  }
  const normalize = createNormalizer(find)
  const resolve: Resolve = (name) => normalize(find(name))
  return {
    resolve,
    normalize,
    normalizeOperation: (operation) => normalizeOperation(operation, normalize),
    shape: oncePer((schema) => toShape(schema, resolve)),
  }
}
