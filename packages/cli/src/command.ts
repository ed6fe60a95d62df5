import type { Terminal } from './terminal.js'

/** One option of a command, as its line in the help and its completion know it. */
export type Flag = {
  readonly name: string
  readonly kind: 'text' | 'switch'
  readonly short?: string
  /** What stands for the value in the help: `FILE`, `USD`. */
  readonly value?: string
  readonly help: string
  /** Values that are offered by the completion. Others are left to the contract to judge. */
  readonly choices?: readonly string[]
  readonly completes?: 'file' | 'folder'
  /** May be given more than once. */
  readonly many?: boolean
}

/** What stands without a dash. */
export type Operand = {
  readonly name: string
  readonly required: boolean
  readonly completes?: 'file'
  readonly choices?: readonly string[]
}

/** A command as data: its help, its completion and its reading of arguments follow from this. What it does is loaded when it is called. */
export type Command = {
  /** One word or two: `balance`, `keys create`. */
  readonly name: string
  readonly summary: string
  readonly details?: string
  readonly operands: readonly Operand[]
  readonly flags: readonly Flag[]
  readonly examples: readonly string[]
  /** Hands all arguments over as they are, help included. */
  readonly passes?: boolean
  readonly load: () => Promise<Run>
}

/** Does what a command is for, and gives its exit code. */
export type Run = (context: Context) => Promise<number>

export type Environment = Readonly<Record<string, string | undefined>>

/** All that a command gets to see of the world. */
export type Context = {
  readonly arguments: Arguments
  /** Every command, for what describes them all. */
  readonly commands: readonly Command[]
  readonly environment: Environment
  readonly terminal: Terminal
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal
}

/** What was given on the command line. */
export type Arguments = {
  /** The words after the command. */
  readonly operands: readonly string[]
  readonly text: (flag: string) => string | undefined
  readonly all: (flag: string) => readonly string[]
  readonly has: (flag: string) => boolean
  /** Throws `UsageError` for what is no number, or is below the least. */
  readonly number: (flag: string, least?: number) => number | undefined
}
