import type {
  Arguments,
  Command as Described,
  Environment,
  Flag as DescribedFlag,
  Program,
} from '@farebox/command-line'
import type { OperationId } from '@farebox/types/operations'
import type { Terminal } from './io/terminal.js'

export type { Arguments, Environment } from '@farebox/command-line'

export type Flag = DescribedFlag & {
  /** What it sets of the SDK's input or options, where the name differs. Errors name the flag. */
  readonly field?: string | readonly string[]
  /** The schema of an operation's input that lists its values. Loaded for shell completion only. */
  readonly schema?: readonly [operation: OperationId, name: string]
}

/** A command as data. Its code is loaded when it runs. */
export type Command = Omit<Described, 'flags'> & {
  readonly flags: readonly Flag[]
  /** The fields of the SDK's input that the operands set, in their order. */
  readonly fields?: readonly string[]
  readonly load: () => Promise<CommandHandler>
}

/** Runs a command and resolves to its exit code. */
export type CommandHandler = (context: Context) => Promise<number>

/** The environment of a command. */
export type Context = {
  readonly arguments: Arguments
  /** The whole program, for its completion. */
  readonly program: Program<string, Command>
  /** The command that runs. */
  readonly command: Command
  readonly environment: Environment
  readonly terminal: Terminal
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal
}

/** The file that a command writes. */
export const output: Flag = {
  name: 'output',
  kind: 'text',
  short: 'o',
  value: 'FILE',
  help: 'the output file; - is stdout',
  completes: 'file',
}

export const idempotencyKey: Flag = {
  name: 'idempotency-key',
  kind: 'text',
  value: 'KEY',
  help: 'a repeat with the same key is not charged again',
}

/** Of every command that costs something. */
export const yes: Flag = {
  name: 'yes',
  kind: 'switch',
  short: 'y',
  help: 'do not ask about the price',
}

/** An option with a value. */
export function text(name: string, value: string, help: string): Flag {
  return { name, kind: 'text', value, help }
}

/** An option without a value. */
export function toggle(name: string, help: string): Flag {
  return { name, kind: 'switch', help }
}

export { UsageError } from '@farebox/command-line'

/** The command failed: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  /** For `--json`. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
