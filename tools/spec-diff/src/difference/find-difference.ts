import { admits, type Json, type Schema } from '@farebox/codegen/model'
import { createExclusion, type Excludes } from '../values/exclusion.js'
import { memoize, type Resolve, type VersionedSchema } from '../values/signature.js'
import { fillArray, violateArray } from './arrays.js'
import {
  add,
  type Goal,
  type Solution,
  type Solve,
  type Split,
  toVersioned,
  removeTerm,
} from './goal.js'
import { fillObject, findHardest, violateObject } from './objects.js'
import { findNumber, findText } from './scalars.js'
import { createArray, createObject, nowhere } from './schemas.js'
import { chooseSplit } from './split.js'

/** How deep goals nest. A deeper one is `unknown`. */
const maxDepth = 500
/** How many references are followed to check one value. They may refer to each other without end. */
const maxReferences = 2000

/** Every value of JSON is of one of these kinds. */
const kinds: readonly VersionedSchema[] = [
  { kind: 'null', notes: nowhere } as const,
  { kind: 'boolean', notes: nowhere } as const,
  { kind: 'number', notes: nowhere, integer: false } as const,
  { kind: 'string', notes: nowhere } as const,
  createArray({}),
  createObject({}),
].map(toVersioned)

const basic = new Set([...kinds.map(({ schema }) => schema.kind), 'binary'])

/** Whether it is proven that one schema accepts all values of another. */
export type IsIncluded = (part: VersionedSchema, whole: VersionedSchema) => boolean

/**
 * Finds a value that one schema accepts and another rejects, or proves that there is none.
 * `steps` is a budget of schemas and references to visit, and is counted down.
 */
export type FindDifference = (
  accepting: VersionedSchema,
  rejecting: VersionedSchema,
  steps: { left: number },
) => Solution

/**
 * A search that splits the question by the options, parts and members of the schemas until only
 * bounds are left, as in "Witness Generation for JSON Schema" (Attouche and others, 2022). What is
 * found for a part serves later questions.
 *
 * @param isIncluded a shorter proof for some pairs
 */
export function createDifferenceSearch(
  isIncluded: IsIncluded = () => false,
  excludes: Excludes = createExclusion(),
): FindDifference {
  let depth = 0
  /** How many goals were met again within themselves. */
  let recurrences = 0
  /** How many references were followed for the current value. */
  let references = 0
  let steps = { left: 0 }
  const originals = new Map<Resolve, Resolve>()
  const limit: (resolve: Resolve) => Resolve = memoize((resolve) => {
    const limited: Resolve = (name) => {
      if (references++ > maxReferences) throw new ReferenceLimitError()
      return resolve(name)
    }
    originals.set(limited, resolve)
    return limited
  })
  const nameGoal = createNames()
  const inProgress = new Set<string>()
  const known = new Map<string, Solution>()

  const solve: Solve = (goal) => {
    const name = nameGoal(goal)
    const found = known.get(name)
    if (found !== undefined) return found
    // If the goal has a value, it has one of the least depth. That one does not contain another value
    // of the same goal, or the contained one would be less deep. So this way leads to nothing new.
    if (inProgress.has(name)) {
      recurrences++
      return 'none'
    }
    if (steps.left <= 0 || depth > maxDepth) return 'unknown'
    steps.left -= goal.all.length + goal.none.length
    const before = recurrences
    inProgress.add(name)
    depth++
    const solution = solveUncached(goal)
    depth--
    inProgress.delete(name)
    // that there is none may follow from a goal that is still in progress
    if (typeof solution === 'object' || (solution === 'none' && recurrences === before))
      known.set(name, solution)
    return solution
  }

  function solveUncached(goal: Goal): Solution {
    if (isContradictory(goal)) return 'none'
    const listed = goal.all.find(({ schema }) => schema.kind === 'enum')?.schema
    if (listed?.kind === 'enum') {
      const value = listed.values.find((one) => meets(goal, one))
      return value === undefined ? 'none' : { value }
    }
    const found = new Set(
      goal.all.map(({ schema }) => schema.kind).filter((kind) => basic.has(kind)),
    )
    if (found.size > 1) return 'none'
    const split = chooseSplit(goal)
    if (split) return solveAny(split.goals.length > 2 ? toPossible(split) : split)
    const [first] = goal.all
    if (first === undefined)
      return solveAny({ goals: kinds.map((kind) => add(goal, [kind], [])), isExhaustive: true })
    const { kind } = first.schema
    // bytes are no value of JSON
    if (kind === 'binary') return 'unknown'
    if (kind === 'number') return findNumber(goal, (value) => meets(goal, value))
    if (kind === 'string') return findText(goal, (value) => meets(goal, value))
    if (kind === 'array') return solveMembers(goal, fillArray, violateArray)
    if (kind === 'object') return solveMembers(goal, fillObject, violateObject)
    const value = [null, true, false].find((one) => meets(goal, one))
    return value === undefined ? 'none' : { value }
  }

  /**
   * Makes a value of all that must hold. If a schema that must not hold accepts it too, breaks one of
   * the rules of that schema.
   */
  function solveMembers(
    goal: Goal,
    fill: typeof fillObject,
    violate: typeof violateObject,
  ): Solution {
    const solution = fill({ ...goal, none: [] }, solve)
    if (solution === 'none') return 'none'
    if (solution !== 'unknown' && meets(goal, solution.value)) return solution
    const kind = goal.all[0]?.schema.kind
    const holds = ({ schema, resolve }: VersionedSchema) =>
      schema.kind === kind && (solution === 'unknown' || admits(schema, solution.value, resolve))
    const broken = findHardest(goal, goal.none.filter(holds))
    if (broken === undefined) return 'unknown'
    return solveAny(violate({ ...goal, none: removeTerm(goal.none, broken) }, broken, solve))
  }

  function solveAny({ goals, isExhaustive }: Split): Solution {
    let isProven = isExhaustive
    for (const goal of goals) {
      const solution = solve(goal)
      if (typeof solution === 'object') return solution
      isProven &&= solution === 'none'
    }
    return isProven ? 'none' : 'unknown'
  }

  /**
   * Without goals that contradict themselves, and without what must not hold and cannot.
   * An option that the other version has too comes last.
   */
  function toPossible({ goals, isExhaustive }: Split): Split {
    const possible = goals.flatMap((goal): readonly Goal[] => {
      const all = goal.all.map(asGiven)
      if (goal.none.some((whole) => all.some((one) => isIncluded(one, asGiven(whole))))) return []
      if (all.some((one, at) => all.slice(at + 1).some((other) => excludes(one, other)))) return []
      const isPossible = (term: VersionedSchema) => !all.some((one) => excludes(one, asGiven(term)))
      return [{ ...goal, none: goal.none.filter(isPossible) }]
    })
    const [old, changed] = [possible.filter(isOption), possible.filter((goal) => !isOption(goal))]
    return { goals: [...changed, ...old], isExhaustive }
  }

  /** Whether a schema of a choice that must not hold accepts what must hold. */
  function isOption({ all, none }: Goal): boolean {
    return none.some(({ schema, resolve }) =>
      (schema.kind === 'oneOf' || schema.kind === 'union' ? schema.options : []).some((option) =>
        all.some((part) => isIncluded(asGiven(part), asGiven({ schema: option, resolve }))),
      ),
    )
  }

  function asGiven({ schema, resolve }: VersionedSchema): VersionedSchema {
    return { schema, resolve: originals.get(resolve) ?? resolve }
  }

  /** By what one version accepts of the other, as most goals are. */
  function isContradictory({ all, none }: Goal): boolean {
    return none.some((whole) =>
      all.some(
        (part) => part.resolve !== whole.resolve && isIncluded(asGiven(part), asGiven(whole)),
      ),
    )
  }

  function meets({ all, none }: Goal, value: Json): boolean {
    references = 0
    const accepts = ({ schema, resolve }: VersionedSchema) => admits(schema, value, resolve)
    const isMet = all.every(accepts) && !none.some(accepts)
    steps.left -= references
    return isMet
  }

  return (accepting, rejecting, allowed) => {
    steps = allowed
    depth = 0
    inProgress.clear()
    const bound = ({ schema, resolve }: VersionedSchema) => ({ schema, resolve: limit(resolve) })
    try {
      const goal = { all: [bound(accepting)], none: [bound(rejecting)] }
      const solution = solve(goal)
      return typeof solution === 'object' && !meets(goal, solution.value) ? 'unknown' : solution
    } catch (error) {
      if (error instanceof ReferenceLimitError) return 'unknown'
      throw error
    }
  }
}

class ReferenceLimitError extends Error {
  override readonly name = 'ReferenceLimitError'
}

/** A string for each goal, the same for the same schemas. */
function createNames(): (goal: Goal) => string {
  const numbers = new Map<Resolve, Map<Schema, number>>()
  let count = 0
  const numberSchema = ({ schema, resolve }: VersionedSchema): number => {
    const known = numbers.get(resolve) ?? new Map<Schema, number>()
    numbers.set(resolve, known)
    const found = known.get(schema) ?? count++
    known.set(schema, found)
    return found
  }
  const list = (terms: readonly VersionedSchema[]) =>
    terms.length === 1 && terms[0]
      ? numberSchema(terms[0])
      : [...new Set(terms.map(numberSchema))].toSorted((one, other) => one - other).join()
  return ({ all, none }) => `${list(all)} ${list(none)}`
}
