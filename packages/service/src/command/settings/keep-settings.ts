import { expected, UsageError, type Arguments } from '@farebox/command-line'
import { readRetention, type Retention } from '../../domain/retention.js'
import type { FlagName } from './program.js'

const flags = { responses: 'keep-responses', videos: 'keep-videos', keys: 'keep-keys', limitLogs: 'keep-limit-logs' } as const
const units = { h: 3_600_000, d: 86_400_000 } as const

/** How long upkeep keeps data. */
export function keepOf(given: Arguments<FlagName>): Retention {
  const entries = Object.entries(flags).flatMap(([name, flag]) => {
    const text = given.text(flag)
    return text === undefined || text === '' ? [] : [[name, durationOf(flag, text)] as const]
  })
  try {
    return readRetention(Object.fromEntries(entries))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new UsageError(`${error.message.replace(/^keep\.(\w+)/, (_all, name: keyof typeof flags) => `--${flags[name]}`)}.`)
  }
}

function durationOf(flag: string, text: string): number {
  const [, count, unit] = /^(\d{1,6})([hd])$/.exec(text) ?? []
  if (count === undefined) throw expected(`--${flag}`, text, 'hours or days such as 36h or 30d')
  return Number(count) * (unit === 'h' ? units.h : units.d)
}
