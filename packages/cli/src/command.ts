import type { Arguments, Command as Described, Environment, Program } from '@farebox/command-line'
import type { Terminal } from './terminal.js'

export type { Arguments, Environment, Flag } from '@farebox/command-line'

/** A command as data. Its code is loaded when it runs. */
export type Command = Described & { readonly load: () => Promise<Run> }

/** Runs a command and resolves to its exit code. */
export type Run = (context: Context) => Promise<number>

/** The environment of a command. */
export type Context = {
  readonly arguments: Arguments
  /** The whole program, for its completion. */
  readonly program: Program
  readonly environment: Environment
  readonly terminal: Terminal
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal
}
