import { readFile } from 'node:fs/promises'
import { UsageError } from '@farebox/command-line'
import type { Change } from '../change/change.js'
import {
  levels,
  lifecycleRules,
  type Finding,
  type LifecyclePolicy,
  type LifecycleRule,
} from './lifecycle.js'
import { strictest, worse, type Verdict } from '../change/verdict.js'

const severities = ['error', 'warning', 'off'] as const
type Severity = (typeof severities)[number]
export type Severities = Readonly<Partial<Record<LifecycleRule, Severity>>>

/** `NAME=SEVERITY`, where NAME is a rule or `all`. A later one wins. */
export function readSeverities(given: readonly string[]): Severities {
  const names = Object.keys(lifecycleRules) as readonly LifecycleRule[]
  return given.reduce<Severities>((known, each) => {
    const [wanted = '', value = ''] = each.split('=')
    const severity = severities.find((one) => one === value)
    const rules = wanted === 'all' ? names : names.filter((name) => name === wanted)
    if (severity === undefined || rules.length === 0)
      throw new UsageError(
        `--rule: found ${JSON.stringify(each)}, expected all or one of ${names.join(', ')}, then =error, =warning or =off.`,
      )
    return { ...known, ...Object.fromEntries(rules.map((rule) => [rule, severity])) }
  }, {})
}

/** `STABILITY=DAYS`, or `DAYS` for every stability. A later one wins. */
export function readSunsetDays(
  given: readonly string[],
): NonNullable<LifecyclePolicy['sunsetDays']> {
  return given.reduce<NonNullable<LifecyclePolicy['sunsetDays']>>((known, each) => {
    const [, wanted, days = ''] = /^(?:([a-z]+)=)?(\d{1,5})$/.exec(each) ?? []
    const found = levels.filter((level) => wanted === undefined || level === wanted)
    if (days === '' || found.length === 0)
      throw new UsageError(
        `--sunset-days: found ${JSON.stringify(each)}, expected a number of days, or one for ${levels.join(', ')} such as beta=31.`,
      )
    return { ...known, ...Object.fromEntries(found.map((level) => [level, Number(days)])) }
  }, {})
}

/** The ids of a file, one in a line; `#` begins a comment. `given` is what the user wrote. */
export async function readApprovals(path: string, given: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined)
    throw new UsageError(
      `There is no file ${given}. Give --approvals a file with the ids of changes.`,
    )
  const lines = text.split('\n')
  return lines.map((line) => line.replace(/#.*/, '').trim()).filter((line) => line !== '')
}

export type GateOptions = {
  /** Changes of this verdict or a graver one fail; `none`: no change does. */
  readonly failOn: Verdict
  readonly severities: Severities
  readonly approved: readonly string[]
}

/** The failing changes, the warnings, and the approvals that match no change. */
export type Gate = {
  readonly failing: readonly Pick<Change, 'id' | 'sentence'>[]
  readonly warnings: readonly string[]
}

export function applyGate(
  changes: readonly Change[],
  findings: readonly Finding[],
  { failOn, severities: of, approved }: GateOptions,
): Gate {
  const grave = changes.filter(
    ({ verdicts }) =>
      failOn !== 'none' && worse(strictest(verdicts), failOn) === strictest(verdicts),
  )
  const failing = [...grave, ...findings.filter(({ rule }) => of[rule] === 'error')].filter(
    ({ id }) => !approved.includes(id),
  )
  const mild = findings.filter(({ id, rule }) => of[rule] === 'warning' && !approved.includes(id))
  const known = new Set([...changes, ...findings].map(({ id }) => id))
  const unused = approved.filter((id) => !known.has(id))
  return {
    failing,
    warnings: [
      ...mild.map(({ id, sentence }) => `${sentence} (${id})`),
      ...(unused.length > 0 ? [`these approvals name no change: ${unused.join(', ')}`] : []),
    ],
  }
}
