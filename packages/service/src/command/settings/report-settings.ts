import { rails } from '@farebox/auth/verify'
import { expected, UsageError, type Arguments } from '@farebox/command-line'
import type { ReconcileRequest } from '../../app/reconcile-settlements.js'
import type { ChainNodes } from '../../domain/reconciliation/chains.js'
import {
  usageDimensions,
  usageFormats,
  type UsageDimension,
  type UsageFormat,
  type UsageQuery,
} from '../../domain/usage/usage-report.js'
import { type FlagName, toVariableName } from './program.js'
import { isDay, parseTime } from './values.js'

/** The settings of `usage`. `file` is `-` for stdout. */
export type UsageSettings = UsageQuery & { readonly format: UsageFormat; readonly file: string }

const dayMs = 86_400_000

/** Validates the options of `usage`. Undefined for other commands. Throws `UsageError`. */
export function readUsageSettings(
  args: Arguments<FlagName>,
  now = Date.now(),
): UsageSettings | undefined {
  if (args.operands[0] !== 'usage') return undefined
  const to = parseDay('to', args.text('to')) ?? new Date(now).toISOString().slice(0, 10)
  const from =
    parseDay('from', args.text('from')) ??
    new Date(Date.parse(to) - 29 * dayMs).toISOString().slice(0, 10)
  if (from > to)
    throw new UsageError(`--from: found ${from}, expected a day that is not after ${to}.`)
  return {
    from,
    to,
    by: (args.text('by') ?? 'day,model').split(',').map(parseDimension),
    format: args.choice('format', usageFormats) ?? 'csv',
    file: args.text('output') ?? '-',
  }
}

function parseDimension(name: string): UsageDimension {
  const found = usageDimensions.find((dimension) => dimension === name.trim())
  if (found === undefined) throw expected('--by', name, `a list of ${usageDimensions.join(', ')}`)
  return found
}

function parseDay(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (isDay(text)) return text
  throw expected(`--${flag}`, text, 'a day such as 2027-01-31')
}

/** What `reconcile` compares. */
export type ReconcileSettings = Pick<ReconcileRequest, 'file' | 'since' | 'until'>

export function readReconcileSettings(args: Arguments<FlagName>): ReconcileSettings {
  const readTime = (flag: 'since' | 'until') => {
    const text = args.text(flag) || undefined
    if (text === undefined) return undefined
    const time = parseTime(text)
    if (Number.isNaN(time))
      throw expected(
        `--${flag}`,
        text,
        'a day such as 2026-11-01 or a time such as 2026-11-01T12:00:00Z',
      )
    return time
  }
  return {
    file: args.text('settlements') || undefined,
    since: readTime('since'),
    until: readTime('until'),
  }
}

/** `NETWORK=URL`, separated by commas. Messages do not repeat the URL, which may contain a key. */
export function parseChainNodes(text: string | undefined): ChainNodes | undefined {
  if (text === undefined) return undefined
  const nodes = text.split(',').map((one): readonly [string, string] => {
    const place = one.indexOf('=')
    const [network, url] = [one.slice(0, place).trim(), one.slice(place + 1).trim()]
    const isKnown =
      /^[a-z\d-]{3,8}:[\w-]{1,32}$/i.test(network) &&
      Object.values(rails).some((rail) => rail.networks.test(network))
    if (place > 0 && isKnown && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
      return [network, url]
    throw new UsageError(
      `--rpc-url: found no NETWORK=URL of a chain, expected one like eip155:8453=https://base.example/rpc, several with commas. It may be set as ${toVariableName('rpc-url')}.`,
    )
  })
  return Object.fromEntries(nodes)
}
