import { admits, type Of, type Schema } from '@farebox/codegen/model'
import type { Excludes } from './exclusion.js'
import { joinObjects } from './join-objects.js'
import { followRefs, type Includes, memoize, type Reader } from './signature.js'
import { includesArray, includesNumber, includesObject, includesString } from './includes-kinds.js'

/** How many pairs one proof may visit. */
const stepsOfProof = 2000

/**
 * A prover that the values of a schema of one side are values of a schema of the other. False if no
 * proof is found, which proves nothing.
 */
export function createInclusion(
  from: Reader,
  to: Reader,
  steps: { left: number },
  isExcluded: Excludes,
): Includes {
  const known = new Map<Schema, Map<Schema, boolean>>()
  const join = memoize((part) =>
    part.kind === 'intersection' ? joinObjects(part, from.resolve) : undefined,
  )
  let [left, depth, lowestAssumption] = [0, 0, Infinity]
  const levels = new Map<Schema, Map<Schema, number>>()

  const includes: Includes = (part, whole) => {
    if (left-- <= 0) return false
    // what both sides share refers to what is equal
    if (part === whole || part.kind === 'never' || whole.kind === 'any') return true
    const found = known.get(part)?.get(whole)
    if (found !== undefined) return found
    // A pair that is reached again from within itself holds if nothing else speaks against it: a
    // JSON value is finite, and each circle of references descends into it.
    const level = levels.get(part)?.get(whole)
    if (level !== undefined) {
      lowestAssumption = Math.min(lowestAssumption, level)
      return true
    }
    enter(part, whole)
    const outer = lowestAssumption
    lowestAssumption = Infinity
    const result = isSame(part, whole) || decide(part, whole)
    leave(part, whole)
    // what was proven with the help of an open pair holds only if that pair does
    const isFinal = !result || lowestAssumption > depth
    if (isFinal && left > 0) remember(part, whole, result)
    lowestAssumption = Math.min(outer, lowestAssumption > depth ? Infinity : lowestAssumption)
    return result
  }

  function enter(part: Schema, whole: Schema): void {
    const byWhole = levels.get(part) ?? new Map<Schema, number>()
    levels.set(part, byWhole.set(whole, ++depth))
  }
  function leave(part: Schema, whole: Schema): void {
    levels.get(part)?.delete(whole)
    depth--
  }
  function remember(part: Schema, whole: Schema, result: boolean): void {
    const byWhole = known.get(part) ?? new Map<Schema, boolean>()
    known.set(part, byWhole.set(whole, result))
  }
  /** Compares meanings where inclusion cannot be proven by structure. */
  function isSame(part: Schema, whole: Schema): boolean {
    if (part.kind !== whole.kind || !comparedAsText.has(part.kind)) return false
    return from.meaning(part) === to.meaning(whole)
  }

  const decide: Includes = (part, whole) => {
    if (part.kind === 'ref') return includes(from.resolve(part.name), whole)
    if (part.kind === 'enum') return part.values.every((value) => admits(whole, value, to.resolve))
    return includesParts(part, whole) || includesWhole(part, whole)
  }

  /** By what the schema is made of: each option, both branches, or one of the parts. */
  const includesParts: Includes = (part, whole) => {
    if (part.kind === 'union' || part.kind === 'oneOf')
      return part.options.every((option) => includes(option, whole))
    if (part.kind === 'conditional')
      return includes(part.then, whole) && includes(part.otherwise, whole)
    return part.kind === 'intersection' && includesMet(part, whole)
  }

  function includesMet(part: Of<'intersection'>, whole: Schema): boolean {
    const joined = join(part)
    return (
      (joined !== undefined && includes(joined, whole)) ||
      part.parts.some((one) => includes(one, whole))
    )
  }

  const includesWhole: Includes = (part, whole) => {
    if (whole.kind === 'ref') return includes(part, to.resolve(whole.name))
    if (whole.kind === 'union') return whole.options.some((option) => includes(part, option))
    if (whole.kind === 'oneOf')
      return whole.options.some(
        (option, at) =>
          includes(part, option) &&
          whole.options.every((other, index) => index === at || excludes(part, other)),
      )
    if (whole.kind === 'intersection') return whole.parts.every((one) => includes(part, one))
    if (whole.kind === 'conditional')
      return includes(part, whole.then) && includes(part, whole.otherwise)
    if (whole.kind === 'not') return excludes(part, whole.schema)
    if (whole.kind === 'enum') return part.kind === 'null' && admits(whole, null, to.resolve)
    return includesKind(part, whole)
  }

  const includesKind: Includes = (part, whole) => {
    if (part.kind === 'unevaluated') return includes(part.base, whole)
    if (part.kind === 'number' && whole.kind === 'number') return includesNumber(part, whole)
    if (part.kind === 'string' && whole.kind === 'string') return includesString(part, whole)
    if (part.kind === 'binary' && whole.kind === 'binary')
      return (part.maxBytes ?? Infinity) <= (whole.maxBytes ?? Infinity)
    if (part.kind === 'array' && whole.kind === 'array')
      return includesArray(part, whole, includes, [from, to])
    if (part.kind === 'object' && whole.kind === 'object')
      return includesObject(part, whole, includes, [from, to])
    return part.kind === whole.kind && (part.kind === 'null' || part.kind === 'boolean')
  }

  const excludes: Includes = (part, other) => {
    if (left-- <= 0) return false
    const target = followRefs(other, to.resolve)
    return target.kind === 'not'
      ? includes(part, target.schema)
      : isExcluded({ schema: part, resolve: from.resolve }, { schema: target, resolve: to.resolve })
  }

  return (part, whole) => {
    const found = known.get(part)?.get(whole)
    if (found !== undefined) return found
    const allowed = Math.min(steps.left, stepsOfProof)
    ;[left, depth, lowestAssumption] = [allowed, 0, Infinity]
    const result = includes(part, whole)
    steps.left -= allowed - Math.max(0, left)
    return result
  }
}

const comparedAsText = new Set<Schema['kind']>([
  'any',
  'ref',
  'oneOf',
  'not',
  'conditional',
  'unevaluated',
  'intersection',
])
