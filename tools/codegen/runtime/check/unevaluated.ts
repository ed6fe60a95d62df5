import { enter, isRecord, type Faults, type Validate } from './rules.js'

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

export function evaluatedItems(prefix: number, contained?: Validate): EvaluationCollector {
  return (value) =>
    Array.isArray(value)
      ? [...value.keys()].filter((index) => index < prefix || contained?.(value[index]) === true)
      : []
}

/** Every option of a choice that accepts the value. */
export function evaluatedByMatching(
  options: readonly (readonly [Validate, EvaluationCollector])[],
): EvaluationCollector {
  return (value) =>
    options.flatMap(([validate, evaluated]) => (validate(value) ? [...evaluated(value)] : []))
}

export function evaluatedByAll(parts: readonly EvaluationCollector[]): EvaluationCollector {
  return (value) => parts.flatMap((evaluated) => [...evaluated(value)])
}

export function evaluatedByBranch(
  test: Validate,
  tested: EvaluationCollector,
  then: EvaluationCollector,
  otherwise: EvaluationCollector,
): EvaluationCollector {
  return (value) => (test(value) ? [...tested(value), ...then(value)] : otherwise(value))
}

/** A schema within that has an `unevaluated` rule of its own. */
export function evaluatedUnder(properties: boolean, items: boolean): EvaluationCollector {
  return (value) => ((Array.isArray(value) ? items : properties) ? evaluatedAll(value) : [])
}

/** Validates what `evaluated` leaves: properties or elements. */
export function validateRest(
  value: unknown,
  faults: Faults | undefined,
  evaluated: EvaluationCollector,
  properties: Validate | undefined,
  items: Validate | undefined,
): boolean {
  const validate = Array.isArray(value) ? items : isRecord(value) ? properties : undefined
  if (validate === undefined) return true
  const seen = new Set<string | number>(evaluated(value))
  const entries: Iterable<readonly [string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value as object)
  for (const [key, item] of entries)
    if (!seen.has(key) && !validate(item, enter(faults, key))) return false
  return true
}
