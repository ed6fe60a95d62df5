import type { Terminal } from './terminal.js'

/** One option of a command: its line in the help, and its completion. */
export type Flag = {
  readonly name: string
  readonly kind: 'text' | 'switch'
  readonly short?: string
  /** The placeholder of the value in the help: `FILE`, `USD`. */
  readonly value?: string
  readonly help: string
  /** Values that the completion offers. The contract validates other values. */
  readonly choices?: readonly string[]
  readonly completes?: 'file' | 'folder'
  /** May occur more than once. */
  readonly many?: boolean
}

/** A positional argument. */
export type Operand = {
  readonly name: string
  readonly required: boolean
  readonly completes?: 'file'
  readonly choices?: readonly string[]
}

/**
 * A command as data. Its help, its completion and the parsing of its arguments follow from it. Its
 * code is loaded when it runs.
 */
export type Command = {
  /** One word or two: `balance`, `keys create`. */
  readonly name: string
  readonly summary: string
  readonly details?: string
  readonly operands: readonly Operand[]
  readonly flags: readonly Flag[]
  readonly examples: readonly string[]
  /** Passes all arguments on unchanged, including --help. */
  readonly passes?: boolean
  readonly load: () => Promise<Run>
}

/** Runs a command and resolves to its exit code. */
export type Run = (context: Context) => Promise<number>

export type Environment = Readonly<Record<string, string | undefined>>

/** The environment of a command. */
export type Context = {
  readonly arguments: Arguments
  /** Every command, for help and completion. */
  readonly commands: readonly Command[]
  readonly environment: Environment
  readonly terminal: Terminal
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal
}

/** The parsed command line. */
export type Arguments = {
  /** The positional arguments after the command. */
  readonly operands: readonly string[]
  readonly text: (flag: string) => string | undefined
  readonly all: (flag: string) => readonly string[]
  readonly has: (flag: string) => boolean
  /** Throws `UsageError` for a value that is not a number or is below the minimum. */
  readonly number: (flag: string, least?: number) => number | undefined
}
