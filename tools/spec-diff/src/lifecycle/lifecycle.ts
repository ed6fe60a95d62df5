import type { Api, Operation } from '@farebox/codegen'
import type { Place } from '../change/change.js'
import { hash } from '../change/hash.js'

/** Rules for the life of operations, each off by default. */
export const lifecycleRules = {
  'deprecated-without-sunset':
    'a deprecated operation names in x-sunset the day on which it may go',
  'sunset-invalid': 'x-sunset is a day such as 2027-06-30',
  'sunset-too-early':
    'an operation that becomes deprecated works for as many days as --sunset-days says',
  'sunset-earlier': 'the day of x-sunset never moves forward, and stays once it is named',
  'removed-before-sunset': 'a deprecated operation stays until the day of x-sunset',
  'removed-without-deprecation':
    'an operation is deprecated before it goes, unless its x-stability is draft or alpha',
  'stability-decreased': 'x-stability (draft, alpha, beta, stable) never falls',
  'stability-invalid': 'x-stability is draft, alpha, beta or stable',
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

export type LifecyclePolicy = {
  /** A day such as 2026-11-23, in UTC. */
  readonly today: string
  /** How many days a deprecated operation works at least, by its stability. Default: 0. */
  readonly sunsetDays?: Readonly<Partial<Record<Stability, number>>>
}

/** What the newer version breaks. */
export function findLifecycleFindings(
  base: Api,
  head: Api,
  policy: LifecyclePolicy,
): readonly Finding[] {
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
    checkKept(known, operation, policy, reportFor('head', operation))
  }
  for (const operation of before.values())
    checkRemoved(operation, policy.today, reportFor('base', operation))
  return findings
}

function checkKept(
  before: Operation | undefined,
  operation: Operation,
  { today, sunsetDays = {} }: LifecyclePolicy,
  report: Report,
): void {
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
  const stability = readStability(operation) ?? 'stable'
  const days = sunsetDays[stability] ?? 0
  if (operation.deprecated && isDay(sunset) && sunset !== was && sunset < addDays(today, days))
    report(
      'sunset-too-early',
      `its x-sunset ${sunset} is less than ${days} days after ${today}, which a ${stability} operation has`,
    )
  if (isDay(was) && sunset === undefined)
    report('sunset-earlier', `x-sunset was ${was} and is gone`)
  if (isDay(was) && isDay(sunset) && sunset < was)
    report('sunset-earlier', `x-sunset was ${was} and is ${sunset} now`)
  const written = findStability(operation)
  if (written !== undefined && readStability(operation) === undefined)
    report(
      'stability-invalid',
      `x-stability is ${JSON.stringify(written)}, and ${levels.join(', ')} were expected`,
    )
  const [from, to] = [before && readStability(before), readStability(operation)]
  if (from !== undefined && to !== undefined && levels.indexOf(to) < levels.indexOf(from))
    report('stability-decreased', `x-stability was ${from} and is ${to} now`)
}

function checkRemoved(operation: Operation, today: string, report: Report): void {
  const sunset = readSunset(operation)
  const isEarly = ['draft', 'alpha'].includes(readStability(operation) ?? '')
  if (!operation.deprecated && !isEarly)
    report('removed-without-deprecation', 'it is gone, and was not deprecated')
  if (operation.deprecated && isDay(sunset) && today < sunset)
    report('removed-before-sunset', `it is gone on ${today}, before its x-sunset ${sunset}`)
}

export const levels = ['draft', 'alpha', 'beta', 'stable'] as const
export type Stability = (typeof levels)[number]

function readStability(operation: Operation): Stability | undefined {
  const value = findStability(operation)
  return levels.find((level) => level === value)
}

function findStability({ extensions }: Operation): unknown {
  return extensions['x-stability'] ?? extensions['x-stability-level']
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
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
