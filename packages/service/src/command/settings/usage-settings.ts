import { expected, UsageError, type Arguments } from '@farebox/command-line'
import { usageDimensions, usageFormats, type UsageDimension, type UsageFormat, type UsageQuery } from '../../domain/usage/usage-query.js'
import type { FlagName } from './program.js'

/** What `usage` was asked for. `file` is `-` for stdout. */
export type UsageSettings = UsageQuery & { readonly format: UsageFormat; readonly file: string }

const dayMs = 86_400_000

/** Validates the options of `usage`. Undefined for other commands. Throws `UsageError`. */
export function usageSettingsOf(given: Arguments<FlagName>, now = Date.now()): UsageSettings | undefined {
  if (given.operands[0] !== 'usage') return undefined
  const to = dayOf('to', given.text('to')) ?? new Date(now).toISOString().slice(0, 10)
  const from = dayOf('from', given.text('from')) ?? new Date(Date.parse(to) - 29 * dayMs).toISOString().slice(0, 10)
  if (from > to) throw new UsageError(`--from: found ${from}, expected a day that is not after ${to}.`)
  return {
    from,
    to,
    by: (given.text('by') ?? 'day,model').split(',').map(dimensionOf),
    format: given.choice('format', usageFormats) ?? 'csv',
    file: given.text('output') ?? '-',
  }
}

function dimensionOf(name: string): UsageDimension {
  const found = usageDimensions.find((dimension) => dimension === name.trim())
  if (found === undefined) throw expected('--by', name, `a list of ${usageDimensions.join(', ')}`)
  return found
}

function dayOf(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return text
  throw expected(`--${flag}`, text, 'a day such as 2027-01-31')
}
