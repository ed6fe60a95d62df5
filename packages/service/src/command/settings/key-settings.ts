import { expected, UsageError, type Arguments } from '@farebox/command-line'
import type { ConsumptionLimit, LimitPeriod } from '@farebox/types'
import { faultOfKey } from '../../domain/accounts/key-rules.js'
import { keyStates, type KeyState } from '../../domain/accounts/key-records.js'
import { keyActions, keyTypes, limitPeriods, type FlagName } from './program.js'
import { parseAmount, longestAccount, longestDescription, limitLength } from './values.js'

/** What `keys` was asked for. */
export type KeySettings = {
  readonly action: (typeof keyActions)[number]
  /** Of the key. Empty for `list` and `create`. */
  readonly id: string
  /** Undefined where none was given. */
  readonly account: string | undefined
  readonly state: KeyState | undefined
  readonly type: (typeof keyTypes)[number]
  readonly description: string | undefined
  /** Null: none. */
  readonly limit: ConsumptionLimit | null | undefined
  readonly period: LimitPeriod | undefined
  /** Milliseconds since 1970. Null: never. */
  readonly expiresAt: number | null | undefined
  readonly graceMs: number
  readonly days: number
  readonly json: boolean
}

/** Undefined for another command. `now` in milliseconds since 1970. */
export function readKeySettings(
  given: Arguments<FlagName>,
  now = Date.now(),
): KeySettings | undefined {
  const [command, first = 'list', id = ''] = given.operands
  if (command !== 'keys') return undefined
  const action = keyActions.find((one) => one === first)
  if (action === undefined) throw expected('ACTION', first, `one of ${keyActions.join(', ')}`)
  const takesId = action !== 'list' && action !== 'create'
  if (takesId && id === '')
    throw new UsageError(`keys ${action}: expected the ID of a key, which "keys list" prints.`)
  if (!takesId && id !== '') throw expected('ID', id, `nothing after keys ${action}`)
  const value = (flag: FlagName) => given.text(flag) || undefined
  const [account, description, expires] = [value('account'), value('description'), value('expires')]
  const limit = readLimit(given)
  const fault = faultOfKey({ expiresAt: expires }, now)
  if (fault)
    throw expected('--expires', expires ?? '', 'a time to come such as 2027-01-01T00:00:00Z')
  const settings = {
    action,
    id,
    account: account === undefined ? undefined : limitLength('account', account, longestAccount),
    state: given.choice('state', keyStates),
    type: given.choice('type', keyTypes) ?? 'INFERENCE',
    description:
      description === undefined
        ? undefined
        : limitLength('description', description, longestDescription),
    limit,
    period: given.choice('period', limitPeriods),
    expiresAt: given.has('no-expiry')
      ? null
      : expires === undefined
        ? undefined
        : Date.parse(expires),
    graceMs: (given.integer('grace', 0, mostGraceSeconds) ?? 0) * 1000,
    days: given.integer('days', 1, 366) ?? 30,
    json: given.has('json'),
  }
  const { period, expiresAt } = settings
  if (
    action === 'limit' &&
    [description, limit, period, expiresAt].every((one) => one === undefined)
  ) {
    throw new UsageError(
      'Nothing to change: give --limit-usd, --limit-diem, --no-limit, --period, --expires, --no-expiry or --description.',
    )
  }
  return settings
}

/** The longest time that two secrets of a key are accepted: 30 days. */
const mostGraceSeconds = 2_592_000

function readLimit(given: Arguments<FlagName>): ConsumptionLimit | null | undefined {
  const [usd, diem] = [
    parseAmount('limit-usd', given.text('limit-usd')),
    parseAmount('limit-diem', given.text('limit-diem')),
  ]
  if (given.has('no-limit')) return null
  if (usd === undefined && diem === undefined) return undefined
  return { ...(usd !== undefined && { usd }), ...(diem !== undefined && { diem }) }
}
