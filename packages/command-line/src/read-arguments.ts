import { type Command as Parsed, type Command as Parser, CommanderError } from 'commander'
import {
  type Arguments,
  type Command,
  type Environment,
  type Flag,
  type Program,
  expected,
  ParseError,
} from './command.js'
import { createParser } from './create-parser.js'

/** What a command line asks for: output to print, or a command to run. */
export type Invocation<Name extends string = string, Member extends Command = Command> =
  | { readonly show: string }
  | { readonly member: Member | undefined; readonly arguments: Arguments<Name> }

export type ReadOptions = {
  readonly environment?: Environment
  /** Columns of the terminal, for the help. Default: the variable COLUMNS, else 80. */
  readonly width?: number | undefined
}

/**
 * Finds the command and parses its arguments. `help X` equals `X --help`, and no arguments equal
 * `--help` where there are several commands. Throws `ParseError` for an invalid command line.
 */
export function readArguments<Name extends string = string, Member extends Command = Command>(
  program: Program<Name, Member>,
  args: readonly string[],
  { environment = {}, width: columns }: ReadOptions = {},
): Invocation<Name, Member> {
  if (program.commands !== undefined && args[0] === 'help')
    return readArguments(program, findHelp(program, args.slice(1)), { environment, width: columns })
  const width = columns || Number(environment['COLUMNS']) || 80
  const passing = program.commands?.find(({ name, passes }) => passes === true && name === args[0])
  let text = ''
  let command: { readonly parser: Parser; readonly member: Member | undefined } | undefined
  const root = createParser(program, {
    width,
    write: (part) => (text += part),
    found: (parser, member) => (command = { parser, member }),
  })
  if (passing !== undefined)
    return {
      member: passing,
      arguments: { ...createArguments(root, program.flags, {}), operands: args.slice(1) },
    }
  try {
    root.parse(program.commands !== undefined && args.length === 0 ? ['--help'] : args, {
      from: 'user',
    })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.helpDisplayed' || error.code === 'commander.version')
      return { show: text.trimEnd() }
    throw new ParseError(describeError(error, program, args), findCommand(program, args))
  }
  if (command === undefined) throw new ParseError('There is no command.', program.name)
  const { parser, member } = command
  return {
    member,
    arguments: createArguments(parser, [...program.flags, ...(member?.flags ?? [])], environment),
  }
}

/** The arguments that show the same. An unknown command stays an error. */
function findHelp({ commands = [] }: Program, words: readonly string[]): readonly string[] {
  const path = words.join(' ')
  const isKnown = commands.some(({ name }) => name === path || name.startsWith(`${path} `))
  return isKnown || words.length === 0 ? [...words, '--help'] : words
}

/** The command that the arguments name, as far as there is one. */
function findCommand({ name, commands = [] }: Program, args: readonly string[]): string {
  const words = args.filter((arg) => !arg.startsWith('-'))
  const isKnown = (one: string | undefined) =>
    commands.some((command) => command.name === one || command.name.startsWith(`${one} `))
  const path = [words.slice(0, 2).join(' '), words[0]].find(isKnown)
  return path === undefined ? name : `${name} ${path}`
}

const secrets =
  /^--?(?:[a-z]+-)*(?:api-?key|private-?key|key|pepper|secret|token|password|mnemonic)(?![\w-])/i

/**
 * The message of commander as one line. A value after = may be a credential and is not repeated.
 */
function describeError(
  { code, message }: CommanderError,
  { commands = [], credentials }: Program,
  args: readonly string[],
): string {
  if (code === 'commander.help') {
    const first = args.find((arg) => !arg.startsWith('-'))
    const members = commands
      .filter((member) => member.name.startsWith(`${first} `))
      .map((member) => member.name.slice(`${first} `.length))
    if (members.length === 0) return 'There are options but no command.'
    return `${first} needs a second word; expected ${members.join(', ').replace(/, ([^,]*)$/, ' or $1')}.`
  }
  const [line = '', hint] = message.replace(/^error: /, '').split('\n')
  const flagLine = line.replace(/='?[^']*'/, "'")
  const [, option] = /^unknown option '(-[^']*)'/.exec(flagLine) ?? []
  if (option !== undefined && credentials !== undefined && secrets.test(option)) {
    return `${option} is not an option: everybody who runs ps would read the credential. ${credentials}`
  }
  if (option !== undefined && hint === `(Did you mean ${option}?)`)
    return `${option} takes no value.`
  const sentence = `${flagLine.charAt(0).toUpperCase()}${flagLine.slice(1).replace(/\.$/, '')}.`
  const quote =
    code === 'commander.excessArguments' ? ' Quote an argument that contains spaces.' : ''
  return `${sentence}${quote}${hint === undefined ? '' : ` ${hint.replaceAll(/[()]/g, '')}`}`
}

/** The arguments of a command that commander has parsed. */
function createArguments(
  parsed: Parsed,
  flags: readonly Flag[],
  environment: Environment,
): Arguments {
  const findFlag = (name: string): Flag => {
    const flag = flags.find((one) => one.name === name)
    if (flag === undefined)
      throw new Error(`The command ${parsed.name()} does not declare --${name}.`)
    return flag
  }
  const readFlag = (name: string): unknown => {
    for (let command: Parsed | null = parsed; command !== null; command = command.parent) {
      const option = command.options.find(({ long }) => long === `--${name}`)
      if (option !== undefined) return command.getOptionValue(option.attributeName())
    }
    return undefined
  }
  const all = (name: string): readonly string[] => {
    const { variable, fallback } = findFlag(name)
    const values = readFlag(name)
    if (Array.isArray(values)) return values
    const set = variable === undefined ? undefined : environment[variable]
    const one = set === undefined || set === '' ? fallback : set
    return one === undefined ? [] : [one]
  }
  const text = (name: string): string | undefined => all(name).at(-1)
  const read = <Value>(
    name: string,
    what: string,
    convert: (value: string) => Value | undefined,
  ): Value | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    const converted = convert(value)
    if (converted === undefined) throw expected(`--${name}`, value, what)
    return converted
  }
  return {
    operands: parsed.args,
    all,
    text,
    // the value of a flag such as --no-audio is false where it is given
    has: (name) => {
      const { kind, variable } = findFlag(name)
      if (kind !== 'switch') return false
      return (
        readFlag(name) === !name.startsWith('no-') ||
        (variable !== undefined && isOn(variable, environment[variable]))
      )
    },
    number: (name, least = -Infinity) =>
      read(name, `a number such as 2.5${least > -Infinity ? `, ${least} or more` : ''}`, (value) =>
        /^-?(?:\d+\.?\d*|\.\d+)$/.test(value) && Number(value) >= least ? Number(value) : undefined,
      ),
    integer: (name, from, to) =>
      read(name, `an integer from ${from} to ${to}`, (value) =>
        /^-?\d+$/.test(value) && Number(value) >= from && Number(value) <= to
          ? Number(value)
          : undefined,
      ),
    choice: (name, choices) =>
      read(name, `one of ${choices.join(', ')}`, (value) =>
        choices.find((choice) => choice === value),
      ),
  }
}

/** Whether a variable turns its switch on. */
function isOn(variable: string, value = ''): boolean {
  if (value === '1' || value === 'true') return true
  if (value === '' || value === '0' || value === 'false') return false
  throw expected(variable, value, '1 or true, 0 or false')
}
