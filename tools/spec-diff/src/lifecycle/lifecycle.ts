import { readFile } from 'node:fs/promises'
import type { Api, Operation } from '@farebox/codegen/model'
import { UsageError } from '@farebox/command-line'
import { type Change, findPlace, hash, type Place } from '../change/change.js'
import { strictest, pickStricter, type Verdict } from '../change/verdict.js'

/** Rules for the lifecycle of operations, each off by default. */
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

type LifecycleRule = keyof typeof lifecycleRules

/** A violation of a rule. Its id, for approvals, is derived from the rule and the sentence. */
type Finding = {
  readonly id: string
  readonly rule: LifecycleRule
  readonly sentence: string
  readonly place: Place
}

type Report = (rule: LifecycleRule, sentence: string) => void

type LifecyclePolicy = {
  /** A day in UTC, such as 2026-11-23. */
  readonly today: string
  /** The days for which a deprecated operation must keep working, by its stability. Default: 0. */
  readonly sunsetDays?: Readonly<Partial<Record<Stability, number>>>
}

/** Lists the violations in the newer version. */
export function findLifecycleFindings(
  base: Api,
  head: Api,
  policy: LifecyclePolicy,
): readonly Finding[] {
  const findings: Finding[] = []
  const reportFor =
    (side: 'base' | 'head', { id, origin }: Operation): Report =>
    (rule, rest) => {
      const sentence = `${id}: ${rest}`
      findings.push({
        id: `${rule}-${hash(sentence)}`,
        rule,
        sentence,
        place: findPlace(side, (side === 'base' ? base : head).locate(origin)),
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

const levels = ['draft', 'alpha', 'beta', 'stable'] as const
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

const severities = ['error', 'warning', 'off'] as const
type Severity = (typeof severities)[number]
type Severities = Readonly<Partial<Record<LifecycleRule, Severity>>>

/** Reads `NAME=SEVERITY`, where NAME is a rule or `all`. Later values win. */
export function readSeverities(values: readonly string[]): Severities {
  const names = Object.keys(lifecycleRules) as readonly LifecycleRule[]
  return values.reduce<Severities>((known, each) => {
    const [target = '', value = ''] = each.split('=')
    const severity = severities.find((one) => one === value)
    const rules = target === 'all' ? names : names.filter((name) => name === target)
    if (severity === undefined || rules.length === 0)
      throw new UsageError(
        `--rule: found ${JSON.stringify(each)}, expected all or one of ${names.join(', ')}, then =error, =warning or =off.`,
      )
    return { ...known, ...Object.fromEntries(rules.map((rule) => [rule, severity])) }
  }, {})
}

/** Reads `STABILITY=DAYS`, or `DAYS` for every stability. Later values win. */
export function readSunsetDays(
  values: readonly string[],
): NonNullable<LifecyclePolicy['sunsetDays']> {
  return values.reduce<NonNullable<LifecyclePolicy['sunsetDays']>>((known, each) => {
    const [, stability, days = ''] = /^(?:([a-z]+)=)?(\d{1,5})$/.exec(each) ?? []
    const matches = levels.filter((level) => stability === undefined || level === stability)
    if (days === '' || matches.length === 0)
      throw new UsageError(
        `--sunset-days: found ${JSON.stringify(each)}, expected a number of days, or one for ${levels.join(', ')} such as beta=31.`,
      )
    return { ...known, ...Object.fromEntries(matches.map((level) => [level, Number(days)])) }
  }, {})
}

/** Reads the ids in a file, one per line; `#` begins a comment. `name` is for the error message. */
export async function readApprovals(path: string, name: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined)
    throw new UsageError(
      `There is no file ${name}. Give --approvals a file with the ids of changes.`,
    )
  const lines = text.split('\n')
  return lines.map((line) => line.replace(/#.*/, '').trim()).filter((line) => line !== '')
}

type GateOptions = {
  /** Changes with this verdict or a stricter one fail. With `none`, no change fails. */
  readonly failOn: Verdict
  readonly severities: Severities
  readonly approved: readonly string[]
}

/** The failing changes, the warnings, and the approvals that match no change. */
type Gate = {
  readonly failing: readonly Pick<Change, 'id' | 'sentence'>[]
  readonly warnings: readonly string[]
}

/** Separates what fails from what is only a warning. Approved ids are ignored. */
export function applyGate(
  changes: readonly Change[],
  findings: readonly Finding[],
  { failOn, severities, approved }: GateOptions,
): Gate {
  const breaking = changes.filter(
    ({ verdicts }) =>
      failOn !== 'none' && pickStricter(strictest(verdicts), failOn) === strictest(verdicts),
  )
  const failing = [
    ...breaking,
    ...findings.filter(({ rule }) => severities[rule] === 'error'),
  ].filter(({ id }) => !approved.includes(id))
  const warnings = findings.filter(
    ({ id, rule }) => severities[rule] === 'warning' && !approved.includes(id),
  )
  const known = new Set([...changes, ...findings].map(({ id }) => id))
  const unused = approved.filter((id) => !known.has(id))
  return {
    failing,
    warnings: [
      ...warnings.map(({ id, sentence }) => `${sentence} (${id})`),
      ...(unused.length > 0 ? [`these approvals name no change: ${unused.join(', ')}`] : []),
    ],
  }
}
