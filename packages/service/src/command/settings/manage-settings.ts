import { expected, UsageError, type Arguments } from '@farebox/command-line'
import type { ConsumptionLimit, LimitPeriod } from '@farebox/types'
import { findKeyFault } from '../../domain/accounts/key-rules.js'
import { keyStates, type KeyState } from '../../domain/accounts/key-records.js'
import { keyActions, keyTypes, limitPeriods, type FlagName, moneyCommands } from './program.js'
import { parseAmount, parseAccount, parseTime, longestDescription, limitLength } from './values.js'
import { userInfo } from 'node:os'
import { isSolanaAddress } from '../../domain/payments/solana.js'

/** The settings of `keys`. */
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
  args: Arguments<FlagName>,
  now = Date.now(),
): KeySettings | undefined {
  const [command, first = 'list', id = ''] = args.operands
  if (command !== 'keys') return undefined
  const action = keyActions.find((one) => one === first)
  if (action === undefined) throw expected('ACTION', first, `one of ${keyActions.join(', ')}`)
  const takesId = action !== 'list' && action !== 'create'
  if (takesId && id === '')
    throw new UsageError(`keys ${action}: expected the ID of a key, which "keys list" prints.`)
  if (!takesId && id !== '') throw expected('ID', id, `nothing after keys ${action}`)
  const value = (flag: FlagName) => args.text(flag) || undefined
  const [account, description, expires] = [value('account'), value('description'), value('expires')]
  const limit = readLimit(args)
  const ends = expires === undefined ? undefined : parseTime(expires)
  if (expires !== undefined && (Number.isNaN(ends) || findKeyFault({ expiresAt: expires }, now)))
    throw expected('--expires', expires, 'a time in the future such as 2027-01-01T00:00:00Z')
  const settings = {
    action,
    id,
    account: account === undefined ? undefined : parseAccount(account),
    state: args.choice('state', keyStates),
    type: args.choice('type', keyTypes) ?? 'INFERENCE',
    description:
      description === undefined
        ? undefined
        : limitLength('description', description, longestDescription),
    limit,
    period: args.choice('period', limitPeriods),
    expiresAt: args.has('no-expiry') ? null : ends,
    graceMs: (args.integer('grace', 0, maxGraceSeconds) ?? 0) * 1000,
    days: args.integer('days', 1, 366) ?? 30,
    json: args.has('json'),
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
const maxGraceSeconds = 2_592_000

function readLimit(args: Arguments<FlagName>): ConsumptionLimit | null | undefined {
  const [usd, diem] = [
    parseAmount('limit-usd', args.text('limit-usd')),
    parseAmount('limit-diem', args.text('limit-diem')),
  ]
  if (args.has('no-limit')) return null
  if (usd === undefined && diem === undefined) return undefined
  return { ...(usd !== undefined && { usd }), ...(diem !== undefined && { diem }) }
}

/** The settings of a command that corrects accounts. */
export type MoneySettings = {
  readonly command: (typeof moneyCommands)[number]
  /** The ledger entry of `refund`, the debt of `write-off` and the text of `find`. Empty for the other commands. */
  readonly subject: string
  readonly account: string
  readonly usd: number | undefined
  readonly reason: string
  readonly actor: string
  readonly key: string | undefined
  readonly json: boolean
  /** The operator's API of a running service. Undefined: the database itself. */
  readonly operatorUrl: string | undefined
}

const subjects = { refund: 'ENTRY', find: 'TEXT', 'write-off': 'DEBT; "debts" lists them' } as const

type SubjectCommand = keyof typeof subjects

function takesSubject(command: MoneySettings['command']): command is SubjectCommand {
  return command in subjects
}

/** Undefined for another command. */
export function readMoneySettings(args: Arguments<FlagName>): MoneySettings | undefined {
  const [first, subject = '', more] = args.operands
  const command = moneyCommands.find((one) => one === first)
  if (command === undefined) return undefined
  const value = (flag: FlagName) => args.text(flag) || undefined
  const hasSubject = takesSubject(command)
  const isRead = command === 'find' || command === 'debts'
  if (hasSubject && subject === '')
    throw new UsageError(`${command}: found no ${subjects[command]}.`)
  if (command === 'debts' && subject !== '')
    throw new UsageError(`debts: found "${subject}", expected nothing more.`)
  if (more !== undefined)
    throw new UsageError(`${command}: found "${more}", expected nothing more.`)
  const account = value('account')
  if (account === undefined && !hasSubject && !isRead && command !== 'credit')
    throw new UsageError(`${command}: found no account. Give --account; "find" finds it.`)
  const usd = parseAmount('usd', value('usd'))
  if (command === 'debit' && usd === undefined)
    throw new UsageError('debit: found no amount. Give --usd.')
  if (usd === 0 && command !== 'credit') throw expected('--usd', '0', 'more than nothing')
  const reason = value('reason')
  if (reason === undefined && command !== 'credit' && !isRead)
    throw new UsageError(`${command}: found no reason. Give --reason, which the ledger keeps.`)
  return {
    command,
    subject,
    account: toAccountName(parseAccount(account ?? 'admin')),
    usd,
    reason: limitLength('reason', reason ?? 'credited at the command line', 500),
    actor: limitLength('actor', value('actor') ?? readUserName(), 64),
    key: value('key'),
    json: args.has('json'),
    operatorUrl: parseOperatorUrl(value('operator-url')),
  }
}

/** Leaves the address of a wallet as it is. Any other name is an account of API keys. */
function toAccountName(account: string): string {
  const isName =
    account.startsWith('key:') ||
    /^0x[0-9a-f]{40}$/i.test(account) ||
    (account.length > 40 && isSolanaAddress(account))
  if (!isName && /^0x/i.test(account))
    throw expected(
      '--account',
      account,
      `a wallet of 0x and 40 hex digits, or key:${account} for an account of API keys`,
    )
  return isName ? account : `key:${account}`
}

function parseOperatorUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '')
    return url.origin
  throw expected('--operator-url', text, 'one like http://127.0.0.1:4021, without a path')
}

/** The user who runs the command, if known to the system. */
function readUserName(): string {
  try {
    return userInfo().username || 'operator'
  } catch {
    return 'operator'
  }
}
