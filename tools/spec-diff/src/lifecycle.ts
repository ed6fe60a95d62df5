import type { Api, Operation } from '@farebox/codegen'
import type { Place } from './change.js'
import { hash } from './hash.js'

/** Rules for the life of operations, each off by default. */
export const lifecycleRules = {
  'deprecated-without-sunset':
    'a deprecated operation names in x-sunset the day on which it may go',
  'sunset-invalid': 'x-sunset is a day such as 2027-06-30',
  'sunset-earlier': 'the day of x-sunset never moves forward, and stays once it is named',
  'removed-before-sunset': 'a deprecated operation stays until the day of x-sunset',
  'removed-without-deprecation': 'an operation is deprecated before it goes',
  'stability-decreased': 'x-stability (draft, alpha, beta, stable) never falls',
} as const

export type LifecycleRule = keyof typeof lifecycleRules

/** A broken rule. The id is that of the rule and the sentence, for approvals. */
export type Finding = {
  readonly id: string
  readonly rule: LifecycleRule
  readonly sentence: string
  readonly place: Place
}

type Report = (rule: LifecycleRule, sentence: string) => void

/** What the newer version breaks. `today` is a day such as 2026-11-23, in UTC. */
export function lifecycleFindings(base: Api, head: Api, today: string): readonly Finding[] {
  const findings: Finding[] = []
  const reportFor =
    (side: 'base' | 'head', { id, origin }: Operation): Report =>
    (rule, rest) => {
      const { file, line, column, pointer } = (side === 'base' ? base : head).locate(origin)
      const sentence = `${id}: ${rest}`
      findings.push({
        id: `${rule}-${hash(sentence)}`,
        rule,
        sentence,
        place: { side, file, line, column, pointer },
      })
    }
  const before = new Map(base.operations.map((operation) => [operation.id, operation]))
  for (const operation of head.operations) {
    const known = before.get(operation.id)
    before.delete(operation.id)
    checkKept(known, operation, reportFor('head', operation))
  }
  for (const operation of before.values())
    checkRemoved(operation, today, reportFor('base', operation))
  return findings
}

function checkKept(before: Operation | undefined, operation: Operation, report: Report): void {
  const [was, sunset] = [before && readSunset(before), readSunset(operation)]
  if (sunset !== undefined && !isDay(sunset))
    report(
      'sunset-invalid',
      `x-sunset is ${JSON.stringify(sunset)}, and a day such as 2027-06-30 was expected`,
    )
  if (operation.deprecated && before?.deprecated !== true && sunset === undefined)
    report(
      'deprecated-without-sunset',
      'it is deprecated now, and no x-sunset says until when it works',
    )
  if (isDay(was) && sunset === undefined)
    report('sunset-earlier', `x-sunset was ${was} and is gone`)
  if (isDay(was) && isDay(sunset) && sunset < was)
    report('sunset-earlier', `x-sunset was ${was} and is ${sunset} now`)
  const [from, to] = [before && readStability(before), readStability(operation)]
  if (from !== undefined && to !== undefined && levels.indexOf(to) < levels.indexOf(from))
    report('stability-decreased', `x-stability was ${from} and is ${to} now`)
}

function checkRemoved(operation: Operation, today: string, report: Report): void {
  const sunset = readSunset(operation)
  if (!operation.deprecated)
    report('removed-without-deprecation', 'it is gone, and was not deprecated')
  else if (isDay(sunset) && today < sunset)
    report('removed-before-sunset', `it is gone on ${today}, before its x-sunset ${sunset}`)
}

const levels = ['draft', 'alpha', 'beta', 'stable'] as const

function readStability({ extensions }: Operation): (typeof levels)[number] | undefined {
  const value = extensions['x-stability'] ?? extensions['x-stability-level']
  return levels.find((level) => level === value)
}

function readSunset({ extensions }: Operation): unknown {
  return extensions['x-sunset']
}

function isDay(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  )
}
