import type { Schema } from '@farebox/codegen/model'
import type { Resolve, VersionedSchema } from '../values/signature.js'
import { splitArray } from './arrays.js'
import { add, type Goal, type Split, removeTerm } from './goal.js'
import { splitObject } from './objects.js'

/** Splits by the schema with the fewest options. Undefined if no schema can be split further. */
export function chooseSplit(goal: Goal): Split | undefined {
  let fewest: Split | undefined
  const splits = [
    ...goal.all.map((term) => () => splitRequired(goal, term)),
    ...goal.none.map((term) => () => splitForbidden(goal, term)),
  ]
  for (const makeSplit of splits) {
    const split = makeSplit()
    if (split && split.goals.length <= 1) return split
    if (split && split.goals.length < (fewest?.goals.length ?? Infinity)) fewest = split
  }
  return fewest
}

/** Splits by a schema that a value must satisfy, if it has parts. */
function splitRequired(goal: Goal, { schema, resolve }: VersionedSchema): Split | undefined {
  const rest = { ...goal, all: removeTerm(goal.all, { schema, resolve }) }
  const and = (all: readonly Schema[], none: readonly Schema[] = []): Goal =>
    add(rest, bind(all, resolve), bind(none, resolve))
  const whole = (...goals: readonly Goal[]): Split => ({ goals, isExhaustive: true })
  const wholeIfSplit = (split: readonly (readonly Schema[])[] | undefined) =>
    split && whole(...split.map((all) => and(all)))
  if (schema.kind === 'any') return whole(rest)
  if (schema.kind === 'never') return whole()
  if (schema.kind === 'ref') return whole(and([resolve(schema.name)]))
  if (schema.kind === 'union') return whole(...schema.options.map((one) => and([one])))
  if (schema.kind === 'oneOf')
    return whole(
      ...schema.options.map((one, at) =>
        and(
          [one],
          schema.options.filter((_, index) => index !== at),
        ),
      ),
    )
  if (schema.kind === 'intersection') return whole(and(schema.parts))
  if (schema.kind === 'not') return whole(and([], [schema.schema]))
  if (schema.kind === 'conditional')
    return whole(and([schema.when, schema.then]), and([schema.otherwise], [schema.when]))
  // a value is checked against the whole later
  if (schema.kind === 'unevaluated') return whole(and([schema.base]))
  if (schema.kind === 'object') return wholeIfSplit(splitObject(schema))
  if (schema.kind === 'array') return wholeIfSplit(splitArray(schema, goal))
  return undefined
}

/** Splits by a schema that a value must not satisfy, if it has parts. */
function splitForbidden(goal: Goal, { schema, resolve }: VersionedSchema): Split | undefined {
  const rest = { ...goal, none: removeTerm(goal.none, { schema, resolve }) }
  const and = (all: readonly Schema[], none: readonly Schema[] = []): Goal =>
    add(rest, bind(all, resolve), bind(none, resolve))
  const whole = (...goals: readonly Goal[]): Split => ({ goals, isExhaustive: true })
  if (schema.kind === 'any') return whole()
  if (schema.kind === 'never') return whole(rest)
  if (schema.kind === 'ref') return whole(and([], [resolve(schema.name)]))
  if (schema.kind === 'union') return whole(and([], schema.options))
  if (schema.kind === 'oneOf')
    return whole(
      and([], schema.options),
      ...schema.options.flatMap((one, at) =>
        schema.options.slice(at + 1).map((other) => and([one, other])),
      ),
    )
  if (schema.kind === 'intersection') return whole(...schema.parts.map((one) => and([], [one])))
  if (schema.kind === 'not') return whole(and([schema.schema]))
  if (schema.kind === 'conditional')
    return whole(and([schema.when], [schema.then]), and([], [schema.when, schema.otherwise]))
  if (schema.kind === 'unevaluated') return { goals: [and([], [schema.base])], isExhaustive: false }
  return undefined
}

function bind(schemas: readonly Schema[], resolve: Resolve): readonly VersionedSchema[] {
  return schemas.map((schema) => ({ schema, resolve }))
}
