import { readArguments, UsageError } from '@farebox/command-line'
import type { Environment } from './command.js'
import type { Explanation } from './explain.js'
import { createProgram } from './program.js'
import { paint, plain, printLine, wantsColor, type Terminal } from './terminal.js'

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
    const program = createProgram(environment)
    const invocation = readArguments(program, args, { environment, width: streams.out.columns })
    if ('show' in invocation) {
      await printLine(terminal, invocation.show)
      return 0
    }
    const command = await invocation.member?.load()
    return (await command?.({ arguments: invocation.arguments, program, environment, terminal, signal })) ?? 0
  } catch (error) {
    // loads the SDK, which a help or a version does without
    const { explain } = await import('./explain.js')
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
