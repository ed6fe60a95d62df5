/** One option of a command: its line in the help, and its completion. */
export type Flag<Name extends string = string> = {
  readonly name: Name
  readonly kind: 'text' | 'switch'
  readonly short?: string
  /** The placeholder of the value in the help: `FILE`, `USD`. */
  readonly value?: string
  readonly help: string
  /** The environment variable that is read where the flag is missing. */
  readonly variable?: string
  /** The value where neither the flag nor its variable is given. */
  readonly fallback?: string
  /** Values that the completion offers. They are not validated here: see `Arguments.choice`. */
  readonly choices?: readonly string[]
  readonly completes?: 'file' | 'folder'
  /** May occur more than once. */
  readonly many?: boolean
  /** The heading in the help. Default: Options. */
  readonly group?: string
}

/** A positional argument. */
export type Operand = {
  readonly name: string
  readonly required: boolean
  /** Takes all further words. Only the last one may. */
  readonly many?: boolean
  readonly completes?: 'file'
  readonly choices?: readonly string[]
}

/** A command as data. Its help, its completion and the parsing of its arguments follow from it. */
export type Command<Name extends string = string> = {
  /** One word or two: `balance`, `keys create`. */
  readonly name: string
  readonly summary: string
  readonly details?: string
  readonly operands: readonly Operand[]
  readonly flags: readonly Flag<Name>[]
  readonly examples: readonly string[]
  /** Passes all arguments on unchanged, including --help. */
  readonly passes?: boolean
}

/** A section after the options in the help: rows of a term and its meaning, or text. */
export type Note = {
  readonly title: string
  readonly text?: string
  readonly rows?: readonly (readonly [term: string, meaning: string])[]
}

/**
 * What stands in a shell: a command, or a program of several commands, whose flags all commands
 * have.
 */
export type Program<Name extends string = string, Member extends Command = Command> = Omit<
  Command<Name>,
  'passes'
> & {
  /** Where it is set, there is `--version`. */
  readonly version?: string
  readonly commands?: readonly Member[]
  readonly notes?: readonly Note[]
  /** Where credentials belong. Said to people who try to give one as an option. */
  readonly credentials?: string
}

/** The parsed command line. Each method throws for a flag that the command does not declare. */
export type Arguments<Name extends string = string> = {
  /** The positional arguments after the command. */
  readonly operands: readonly string[]
  /** The value of a flag, of its variable, or its fallback. The last one counts. */
  readonly text: (flag: Name) => string | undefined
  readonly all: (flag: Name) => readonly string[]
  readonly has: (flag: Name) => boolean
  /** Throws `UsageError` for a value that is not a decimal number, or is below the minimum. */
  readonly number: (flag: Name, least?: number) => number | undefined
  /** Throws `UsageError` for a value that is not an integer within the bounds. */
  readonly integer: (flag: Name, from: number, to: number) => number | undefined
  /** Throws `UsageError` for a value that is not one of the choices. */
  readonly choice: <Choice extends string>(
    flag: Name,
    choices: readonly Choice[],
  ) => Choice | undefined
}

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * An invalid command line: exit code 2. The message names the fault, the expected form and a
 * remedy.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A command line that the program does not have, such as an unknown flag. */
export class ParseError extends UsageError {
  /** The command whose help lists what there is: `farebox video`. */
  readonly help: string

  constructor(message: string, help: string) {
    super(message)
    this.help = help
  }
}

/** `--port: found "abc", expected an integer from 0 to 65535.` */
export function expected(where: string, value: string, what: string): UsageError {
  return new UsageError(`${where}: found ${JSON.stringify(value)}, expected ${what}.`)
}
