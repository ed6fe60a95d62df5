import { accepts, isRecord, validate, type Rule } from './checks.js'
import type * as z from './zod.js'

/** The property names and element indexes of a valid value that a schema has evaluated. */
export type EvaluationCollector = (value: unknown) => Iterable<string | number>

export const evaluatedNothing: EvaluationCollector = () => []

export const evaluatedAll: EvaluationCollector = (value) =>
  Array.isArray(value) ? value.keys() : isRecord(value) ? Object.keys(value) : []

export function evaluatedProperties(
  names: readonly string[],
  patterns: readonly RegExp[],
  dependents: Readonly<Record<string, EvaluationCollector>>,
): EvaluationCollector {
  return (value) => {
    if (!isRecord(value)) return []
    const own = Object.keys(value).filter(
      (key) => names.includes(key) || patterns.some((pattern) => pattern.test(key)),
    )
    const further = Object.entries(dependents).flatMap(([name, evaluated]) =>
      Object.hasOwn(value, name) ? [...evaluated(value)] : [],
    )
    return [...own, ...further]
  }
}

export function evaluatedItems(prefix: number, contained?: z.core.SomeType): EvaluationCollector {
  return (value) =>
    Array.isArray(value)
      ? [...value.keys()].filter(
          (index) =>
            index < prefix || (contained !== undefined && accepts(contained, value[index])),
        )
      : []
}

/** Every option of a choice that accepts the value. */
export function evaluatedByMatching(
  options: readonly (readonly [z.core.SomeType, EvaluationCollector])[],
): EvaluationCollector {
  return (value) =>
    options.flatMap(([schema, evaluated]) => (accepts(schema, value) ? [...evaluated(value)] : []))
}

export function evaluatedByAll(parts: readonly EvaluationCollector[]): EvaluationCollector {
  return (value) => parts.flatMap((evaluated) => [...evaluated(value)])
}

export function evaluatedByBranch(
  test: z.core.SomeType,
  tested: EvaluationCollector,
  then: EvaluationCollector,
  otherwise: EvaluationCollector,
): EvaluationCollector {
  return (value) => (accepts(test, value) ? [...tested(value), ...then(value)] : otherwise(value))
}

/** A schema within that has an `unevaluated` rule of its own. */
export function evaluatedUnder(properties: boolean, items: boolean): EvaluationCollector {
  return (value) => ((Array.isArray(value) ? items : properties) ? evaluatedAll(value) : [])
}

/** Validates what `evaluated` leaves: properties, elements or both. */
export function unevaluated(
  evaluated: EvaluationCollector,
  rest: { readonly properties?: z.core.SomeType; readonly items?: z.core.SomeType },
): Rule {
  return (context) => {
    const { value } = context
    const schema = Array.isArray(value) ? rest.items : isRecord(value) ? rest.properties : undefined
    if (schema === undefined) return
    const seen = new Set<string | number>(evaluated(value))
    for (const [key, item] of Array.isArray(value)
      ? value.entries()
      : Object.entries(value as object)) {
      if (!seen.has(key)) validate(context, schema, item, key)
    }
  }
}
