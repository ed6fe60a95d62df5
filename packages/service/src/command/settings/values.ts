import { expected, UsageError } from '@farebox/command-line'
import { commands } from './program.js'
import { createClientAddress } from '../../platform/server/client-address.js'

type Command = (typeof commands)[number]

const withFile: readonly Command[] = ['backup', 'restore']
const withOperands: readonly Command[] = ['keys', 'refund', 'find', ...withFile]

export function parseCommand([first = 'serve', second]: readonly string[]): Command {
  const found = commands.find((command) => command === first)
  if (found === undefined) throw expected('COMMAND', first, `one of ${commands.join(', ')}`)
  if (second !== undefined && !withOperands.includes(found))
    throw new UsageError(`${found}: found "${second}", expected nothing more.`)
  return found
}

/** The file of a command that has one. Empty for the other commands. */
export function parseFile([command, file = '', more]: readonly string[]): string {
  if (!withFile.some((one) => one === command)) return ''
  if (file === '') throw new UsageError(`${command}: found no FILE.`)
  if (more !== undefined)
    throw new UsageError(`${command}: found "${more}", expected nothing after its FILE.`)
  return file
}

export function parseAmount(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Number(text)
  throw expected(`--${flag}`, text, 'an amount such as 10 or 0.25, below a thousand million')
}

/** The longest text that an index of the database holds. */
export const longestAccount = 100
/** Of a key, by the contract. */
export const longestDescription = 64

export function limitLength(flag: string, text: string, longest: number): string {
  const { length } = Array.from(text)
  if (length <= longest) return text
  throw new UsageError(`--${flag}: found ${length} characters, expected at most ${longest}.`)
}

export function parseOrigin(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== '/' ||
    url.search !== ''
  ) {
    throw expected('--origin', text, 'one like https://api.example.com, without a path')
  }
  return url.origin
}

export function parseProxies(list = ''): readonly string[] {
  const trustedProxies = list.split(',').flatMap((one) => one.trim() || [])
  try {
    createClientAddress(trustedProxies)
  } catch (error) {
    throw new UsageError(
      `--trusted-proxies: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
  return trustedProxies
}

/** The message does not repeat the value, which holds a password. */
export function parseDatabaseUrl(text: string | undefined): string | undefined {
  if (
    text === undefined ||
    (URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol))
  )
    return text
  throw new UsageError(
    '--database-url: found no database URL, expected postgres://USER:PASSWORD@HOST:PORT/NAME.',
  )
}
