import * as fc from 'fast-check'
import type { Outputs } from './outputs.js'
import type { DocumentJudge } from './request-judge.js'
import type { Effort, Failure } from './round-trip.js'

/** Values of named schemas and near misses: the validators and Ajv must agree on each. */
export function judgeSchemas(
  { schemas, validators }: Outputs,
  { keys, accepts }: DocumentJudge,
  { values, operations, seed }: Effort,
): readonly Failure[] {
  const failures: Failure[] = []
  for (const key of keys.slice(0, operations)) {
    const arbitrary = schemas[key]
    const validator = validators[key]
    if (arbitrary === undefined || validator === undefined) continue
    const judge = (value: unknown, isNear: boolean): void => {
      if (holdsBytes(value)) return
      const theirs = accepts(key, value)
      const ours = validator.safeParse(value).success
      // Ajv checks no formats here, so a rejected near miss may have one
      if (theirs === undefined || theirs === ours || (isNear && !ours)) return
      failures.push({
        kind: `validator ${ours ? 'accepts' : 'rejects'}, Ajv differs`,
        operation: key,
        detail: JSON.stringify(value).slice(0, 400),
      })
    }
    try {
      fc.sample(arbitrary.valid, { numRuns: values, seed }).forEach((value) => judge(value, false))
      if (arbitrary.nearMiss !== undefined)
        fc.sample(arbitrary.nearMiss, { numRuns: values * 2, seed }).forEach((value) =>
          judge(value, true),
        )
    } catch (error) {
      failures.push({
        kind: 'arbitraries',
        operation: key,
        detail: error instanceof Error ? error.message.slice(0, 400) : String(error),
      })
    }
  }
  return failures
}

function holdsBytes(value: unknown): boolean {
  if (value instanceof Uint8Array || value instanceof Blob) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsBytes)
}
