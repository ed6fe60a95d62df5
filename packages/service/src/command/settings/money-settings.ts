import { userInfo } from 'node:os'
import { expected, UsageError, type Arguments } from '@farebox/command-line'
import { isSolanaAddress } from '../../domain/payments/solana.js'
import { moneyCommands, type FlagName } from './program.js'
import { limitLength, longestAccount, parseAmount } from './values.js'

/** What a command that corrects accounts was asked for. */
export type MoneySettings = {
  readonly command: (typeof moneyCommands)[number]
  /** The ledger entry of `refund`, and the text of `find`. Empty for the other commands. */
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

const subjects = { refund: 'ENTRY', find: 'TEXT' } as const

/** Undefined for another command. */
export function readMoneySettings(given: Arguments<FlagName>): MoneySettings | undefined {
  const [first, subject = '', more] = given.operands
  const command = moneyCommands.find((one) => one === first)
  if (command === undefined) return undefined
  const value = (flag: FlagName) => given.text(flag) || undefined
  const hasSubject = command === 'refund' || command === 'find'
  if (hasSubject && subject === '')
    throw new UsageError(`${command}: found no ${subjects[command]}.`)
  if (more !== undefined)
    throw new UsageError(`${command}: found "${more}", expected nothing more.`)
  const account = value('account')
  if (account === undefined && !hasSubject && command !== 'credit')
    throw new UsageError(`${command}: found no account. Give --account; "find" finds it.`)
  const usd = parseAmount('usd', value('usd'))
  if (command === 'debit' && usd === undefined)
    throw new UsageError('debit: found no amount. Give --usd.')
  if (usd === 0 && command !== 'credit') throw expected('--usd', '0', 'more than nothing')
  const reason = value('reason')
  if (reason === undefined && command !== 'credit' && command !== 'find')
    throw new UsageError(`${command}: found no reason. Give --reason, which the ledger keeps.`)
  return {
    command,
    subject,
    account: toAccountName(limitLength('account', account ?? 'admin', longestAccount)),
    usd,
    reason: limitLength('reason', reason ?? 'credited at the command line', 500),
    actor: limitLength('actor', value('actor') ?? userName(), 64),
    key: value('key'),
    json: given.has('json'),
    operatorUrl: parseOperatorUrl(value('operator-url')),
  }
}

/** The address of a wallet stays; any other name is that of an account of API keys. */
function toAccountName(account: string): string {
  const isName =
    account.startsWith('key:') ||
    /^0x[0-9a-f]{40}$/i.test(account) ||
    (account.length > 40 && isSolanaAddress(account))
  return isName ? account : `key:${account}`
}

function parseOperatorUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '')
    return url.origin
  throw expected('--operator-url', text, 'one like http://127.0.0.1:4021, without a path')
}

/** Who runs the command, as far as the system knows that. */
function userName(): string {
  try {
    return userInfo().username || 'operator'
  } catch {
    return 'operator'
  }
}
