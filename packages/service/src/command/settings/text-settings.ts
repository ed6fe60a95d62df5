import { expected, UsageError } from '@farebox/command-line'
import { commands } from './program.js'

type Command = (typeof commands)[number]

const withFile: readonly Command[] = ['backup', 'restore']
const withOperands: readonly Command[] = ['keys', ...withFile]

export function commandOf([first = 'serve', second]: readonly string[]): Command {
  const found = commands.find((command) => command === first)
  if (found === undefined) throw expected('COMMAND', first, `one of ${commands.join(', ')}`)
  if (second !== undefined && !withOperands.includes(found)) throw new UsageError(`${found}: found "${second}", expected nothing more.`)
  return found
}

/** The file of a command that has one. Empty for the other commands. */
export function fileOf([command, file = '', more]: readonly string[]): string {
  if (!withFile.some((one) => one === command)) return ''
  if (file === '') throw new UsageError(`${command}: found no FILE.`)
  if (more !== undefined) throw new UsageError(`${command}: found "${more}", expected nothing after its FILE.`)
  return file
}

export function amountOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Number(text)
  throw expected(`--${flag}`, text, 'an amount such as 10 or 0.25, below a thousand million')
}

/** The longest text that an index of the database holds. */
export const longestAccount = 100
/** Of a key, by the contract. */
export const longestDescription = 64

export function textOf(flag: string, text: string, longest: number): string {
  const { length } = Array.from(text)
  if (length <= longest) return text
  throw new UsageError(`--${flag}: found ${length} characters, expected at most ${longest}.`)
}
