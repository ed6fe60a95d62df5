import type { Environment } from './command.js'
import { commands } from './commands.js'
import { UsageError } from './errors.js'
import { explain, type Explanation } from './explain.js'
import { manual, overview } from './help.js'
import { readArguments } from './read-arguments.js'
import { paint, plain, printLine, wantsColor, type Terminal } from './terminal.js'
import { version } from './version.js'

export type World = {
  readonly environment: Environment
  readonly streams: Pick<Terminal, 'in' | 'out' | 'err'>
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal
}

/**
 * Runs a command line and resolves to the exit code. Never throws: errors are written to stderr.
 */
export async function run(args: readonly string[], { environment, streams, signal }: World): Promise<number> {
  const isJson = args.includes('--json')
  const terminal: Terminal = {
    ...streams,
    color: wantsColor(streams.out, environment),
    quiet: args.includes('--quiet') || args.includes('-q') || (isJson && streams.err.isTTY !== true),
  }
  try {
    const invocation = readArguments(args, commands)
    if ('show' in invocation) {
      const help = () => (invocation.show === 'help' && invocation.command ? manual(invocation.command) : overview(commands, environment))
      await printLine(terminal, invocation.show === 'version' ? version() : help())
      return 0
    }
    const command = await invocation.command.load()
    return await command({ arguments: invocation.arguments, commands, environment, terminal, signal })
  } catch (error) {
    const explanation = explain(error, signal.aborted)
    streams.err.write(isJson ? jsonOf(explanation) : textOf(explanation, { ...terminal, color: wantsColor(streams.err, environment) }))
    if (!isJson && error instanceof UsageError)
      streams.err.write('Run farebox --help for the commands and farebox COMMAND --help for its options.\n')
    return explanation.exitCode
  }
}

function textOf({ message, advice }: Explanation, terminal: Terminal): string {
  return `${paint(terminal, 'red', 'farebox:')} ${plain(message)}\n${advice === undefined ? '' : `${plain(advice)}\n`}`
}

function jsonOf({ code, message, advice, facts }: Explanation): string {
  return `${JSON.stringify({ error: { code, message, ...(advice !== undefined && { advice }), ...facts } })}\n`
}
