import { parseArgs } from 'node:util'
import type { Arguments, Command, Flag } from './command.js'
import { nearest } from './nearest.js'
import { UsageError } from './errors.js'

/** The options of every command. */
export const commonFlags: readonly Flag[] = [
  { name: 'base-url', kind: 'text', value: 'URL', help: 'the service, ending in /api/v1 (FAREBOX_BASE_URL)' },
  { name: 'config', kind: 'text', value: 'FILE', help: 'the settings to read (FAREBOX_CONFIG)', completes: 'file' },
  { name: 'as', kind: 'text', value: 'WHO', help: 'wallet or key, where both are set and would do', choices: ['wallet', 'key'] },
  { name: 'json', kind: 'switch', help: 'print the result as JSON, and errors too' },
  { name: 'quiet', kind: 'switch', short: 'q', help: 'say nothing about the work under way' },
  { name: 'help', kind: 'switch', short: 'h', help: 'say how this is used' },
]

export type Invocation =
  | { readonly show: 'help'; readonly command?: Command }
  | { readonly show: 'version' }
  | { readonly command: Command; readonly arguments: Arguments }

/**
 * Finds the command and parses its arguments. Throws `UsageError` for an invalid command line.
 */
export function readArguments(args: readonly string[], commands: readonly Command[]): Invocation {
  const passing = commands.find(({ name, passes }) => passes === true && name === args[0])
  if (passing !== undefined) return { command: passing, arguments: argumentsOf({}, args.slice(1)) }

  const { values, positionals } = parse(args, commands)
  if (values['version'] === true) return { show: 'version' }
  const asked = positionals[0] === 'help'
  const words = asked ? positionals.slice(1) : positionals
  const command = commandOf(words, commands)
  if (asked || values['help'] === true || command === undefined) {
    if (command === undefined && !asked && values['help'] !== true && Object.keys(values).length > 0) {
      throw new UsageError('There are options but no command. Run farebox --help for the commands.')
    }
    return { show: 'help', ...(command && { command }) }
  }
  const operands = words.slice(command.name.split(' ').length)
  checkFlags(values, command)
  checkOperands(operands, command)
  return { command, arguments: argumentsOf(values, operands) }
}

type Value = string | boolean | readonly (string | boolean)[] | undefined
type Values = Readonly<Record<string, Value>>

function parse(
  args: readonly string[],
  commands: readonly Command[],
): { readonly values: Values; readonly positionals: readonly string[] } {
  const flags = [...commonFlags, ...commands.flatMap((command) => command.flags)]
  const options = Object.fromEntries(
    flags.map(({ name, kind, short, many }) => [
      name,
      {
        type: kind === 'text' ? ('string' as const) : ('boolean' as const),
        ...(short !== undefined && { short }),
        ...(many && { multiple: true }),
      },
    ]),
  )
  try {
    const all = { ...options, version: { type: 'boolean' as const } }
    const { values, positionals } = parseArgs({ args: joined(args, flags), options: all, allowPositionals: true })
    return { values, positionals }
  } catch (error) {
    throw new UsageError(sayingOf(error, flags))
  }
}

/** Turns `--speed -1` into `--speed=-1`: a negative number is a value, not an option. */
function joined(args: readonly string[], flags: readonly Flag[]): string[] {
  const takes = new Set(flags.filter(({ kind }) => kind === 'text').map(({ name }) => `--${name}`))
  const result: string[] = []
  for (const arg of args) {
    const before = result.at(-1)
    if (before !== undefined && takes.has(before) && /^-[\d.]/.test(arg)) result[result.length - 1] = `${before}=${arg}`
    else result.push(arg)
  }
  return result
}

const secrets = /^--?(?:api-?key|private-?key|key|secret|token|password|mnemonic|wallet-key)\b/i

function sayingOf(error: unknown, flags: readonly Flag[]): string {
  const message = error instanceof Error ? error.message : String(error)
  const [, unknown] = /^Unknown option '(-[^']*)'/.exec(message) ?? []
  if (unknown === undefined) return message.replace(/\. To specify a positional argument.*$/s, '.').replace(/\n.*$/s, '')
  if (secrets.test(unknown)) {
    return (
      `${unknown.split('=', 1)[0]} is not an option: everybody who runs ps would read the credential. ` +
      'Set FAREBOX_API_KEY or FAREBOX_PRIVATE_KEY, or write it into the configuration file; farebox --help says where that is.'
    )
  }
  const near = nearest(
    unknown,
    flags.map(({ name }) => `--${name}`),
  )
  return `${unknown} is not an option.${near === undefined ? '' : ` Did you mean ${near}?`}`
}

function commandOf(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const [first, second] = words
  if (first === undefined) return undefined
  const found = commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first)
  if (found !== undefined) return found
  const family = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name)
  if (family.length > 0) throw new UsageError(`${first} needs to know what to do. Expected: farebox ${family.join(', farebox ')}.`)
  const near = nearest(
    first,
    commands.map(({ name }) => name),
  )
  throw new UsageError(`${JSON.stringify(first)} is not a command.${near === undefined ? '' : ` Did you mean ${near}?`}`)
}

function checkFlags(values: Values, { name, flags }: Command): void {
  const own = [...commonFlags, ...flags].map((flag) => flag.name)
  for (const given of Object.keys(values)) {
    if (!own.includes(given)) throw new UsageError(`--${given} is not an option of ${name}.`)
  }
}

function checkOperands(given: readonly string[], { name, operands }: Command): void {
  const missing = operands.slice(given.length).find(({ required }) => required)
  if (missing !== undefined) throw new UsageError(`${name} needs ${missing.name}.`)
  const extra = given[operands.length]
  if (extra !== undefined) {
    const many = operands.length === 0 ? 'nothing more' : operands.map((operand) => operand.name).join(' ')
    throw new UsageError(`${name} takes ${many}, but ${JSON.stringify(extra)} follows. Put a text with spaces into quotes.`)
  }
}

function argumentsOf(values: Values, operands: readonly string[]): Arguments {
  const all = (flag: string): readonly string[] => [values[flag] ?? []].flat().filter((value) => typeof value === 'string')
  const text = (flag: string): string | undefined => all(flag).at(-1)
  return {
    operands,
    all,
    text,
    has: (flag) => values[flag] === true,
    number: (flag, least = -Infinity) => {
      const given = text(flag)
      if (given === undefined) return undefined
      const number = /^-?(?:\d+\.?\d*|\.\d+)$/.test(given) ? Number(given) : Number.NaN
      if (number >= least) return number
      throw new UsageError(
        `--${flag} is ${JSON.stringify(given)}; expected a number such as 2.5${least > -Infinity ? `, ${least} or more` : ''}.`,
      )
    },
  }
}
