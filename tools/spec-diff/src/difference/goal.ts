import type { Json, Schema } from '@farebox/codegen/model'
import type { VersionedSchema } from '../values/signature.js'

/** Values that satisfy all of some schemas and none of others. */
export type Goal = {
  readonly all: readonly VersionedSchema[]
  readonly none: readonly VersionedSchema[]
}

/** `none`: it is proven that there is no such value. `unknown`: neither a value nor a proof was found. */
export type Solution = { readonly value: Json } | 'none' | 'unknown'

export type Solve = (goal: Goal) => Solution

/** Goals that replace one. `isExhaustive`: every solution of that one solves one of these. */
export type Split = { readonly goals: readonly Goal[]; readonly isExhaustive: boolean }

/** Only for a schema without references. */
export function toVersioned(schema: Schema): VersionedSchema {
  return { schema, resolve: () => schema }
}

/**
 * Removes every copy of a schema. A duplicate that stays would give the same goal again, which the
 * search takes for a goal within itself.
 */
export function removeTerm(
  terms: readonly VersionedSchema[],
  { schema, resolve }: VersionedSchema,
): readonly VersionedSchema[] {
  return terms.filter((one) => one.schema !== schema || one.resolve !== resolve)
}

/** A goal with further schemas. */
export function add(
  goal: Goal,
  all: readonly VersionedSchema[],
  none: readonly VersionedSchema[],
): Goal {
  return { all: [...goal.all, ...all], none: [...goal.none, ...none] }
}
