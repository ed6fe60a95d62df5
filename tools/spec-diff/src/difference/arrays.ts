import type { Json, Of, Schema } from '@farebox/codegen/model'
import { add, type Goal, type Solution, type Solve, type Split, toVersioned } from './goal.js'
import type { VersionedSchema } from '../values/signature.js'
import { anything, createEnum, createArray, negate } from './schemas.js'

type VersionedArray = VersionedSchema & { readonly schema: Of<'array'> }

/** Longer arrays are not made. */
const longest = 50

/** Goals for the arrays that break a rule of one. */
export function violateArray(
  goal: Goal,
  { schema, resolve }: VersionedSchema,
  solve: Solve,
): Split {
  if (schema.kind !== 'array') return { goals: [], isExhaustive: false }
  const { prefix, items, minItems = 0, maxItems, contains, unique, unevaluated } = schema
  const last = findLastIndex(goal, prefix.length)
  const broken: Schema[] = [
    ...(minItems > 0 ? [createArray({ maxItems: minItems - 1 })] : []),
    ...(maxItems === undefined ? [] : [createArray({ minItems: maxItems + 1 })]),
    ...Array.from({ length: last + 1 }, (_, at) => prefix[at] ?? items).flatMap((rule, at) =>
      rule.kind === 'any' ? [] : [withItem(at, negate(rule))],
    ),
    ...(contains && contains.min > 0 ? [createArray({ items: negate(contains.schema) })] : []),
    ...(unique ? repeatItem(goal, solve) : []),
  ]
  const isExhaustive =
    !unique &&
    (contains === undefined || (contains.min <= 1 && contains.max === undefined)) &&
    (unevaluated === undefined || unevaluated.kind === 'any')
  return { goals: broken.map((rule) => add(goal, [{ schema: rule, resolve }], [])), isExhaustive }
}

/** The arrays that begin with two equal items. */
function repeatItem(goal: Goal, solve: Solve): readonly Schema[] {
  const arrays = listArrays(goal)
  const places = [0, 1].map((at) => findItem(arrays, at))
  const solution = solve({ all: places.flat(), none: [] })
  if (typeof solution === 'string') return []
  const item = createEnum([solution.value])
  return [createArray({ minItems: 2, prefix: [item, item] })]
}

/** The arrays that contain a value of the schema, by its place. */
export function splitArray(
  schema: Of<'array'>,
  goal: Goal,
): readonly (readonly Schema[])[] | undefined {
  const { contains, ...rest } = schema
  if (contains?.min !== 1 || contains.max !== undefined) return undefined
  const last = findLastIndex(goal, schema.prefix.length)
  return Array.from({ length: last + 1 }, (_, at) => [rest, withItem(at, contains.schema)])
}

/** After all prefixes, and so after what was broken before, every place is alike. */
function findLastIndex({ all, none }: Goal, prefix: number): number {
  const arrays = [...all, ...none].flatMap(({ schema }) =>
    schema.kind === 'array' ? [schema] : [],
  )
  return Math.max(prefix, ...arrays.map((array) => array.prefix.length))
}

function withItem(at: number, item: Schema): Schema {
  const prefix = [...Array.from({ length: at }, () => anything), item]
  return createArray({ minItems: at + 1, prefix })
}

function listArrays({ all }: Goal): readonly VersionedArray[] {
  return all.filter((term): term is VersionedArray => term.schema.kind === 'array')
}

/** What an item must satisfy. */
function findItem(arrays: readonly VersionedArray[], at: number): readonly VersionedSchema[] {
  return arrays.map(({ schema, resolve }) => ({
    schema: schema.prefix[at] ?? schema.items,
    resolve,
  }))
}

/** The shortest array of all schemas, an item after the other. */
export function fillArray(goal: Goal, solve: Solve): Solution {
  const arrays = listArrays(goal)
  const least = Math.max(0, ...arrays.map(({ schema }) => schema.minItems ?? 0))
  const most = Math.min(...arrays.map(({ schema }) => schema.maxItems ?? Infinity))
  if (least > most) return 'none'
  if (least > longest) return 'unknown'
  const isUnique = arrays.some(({ schema }) => schema.unique)
  const value: Json[] = []
  for (let at = 0; at < least; at++) {
    const item: Goal = {
      all: findItem(arrays, at),
      none: isUnique && value.length > 0 ? [toVersioned(createEnum([...value]))] : [],
    }
    const solution = solve(item)
    if (typeof solution === 'string')
      return solution === 'none' && item.none.length > 0 ? 'unknown' : solution
    value.push(solution.value)
  }
  return { value }
}
