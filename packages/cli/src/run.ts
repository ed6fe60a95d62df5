import {
  expected,
  ParseError,
  readArguments,
  UsageError,
  type Arguments,
} from '@farebox/command-line'
import type { Command, Environment } from './command.js'
import type { Explanation } from './calls/explain.js'
import { createProgram } from './program.js'
import {
  paint,
  stripControls,
  printLine,
  wantsColor,
  type JsonForm,
  type Terminal,
} from './io/terminal.js'

type World = {
  readonly environment: Environment
  readonly streams: Pick<Terminal, 'in' | 'out' | 'err'>
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal
}

/**
 * Runs a command line and resolves to the exit code. Never throws: errors are written to stderr.
 */
export async function run(
  args: readonly string[],
  { environment, streams, signal }: World,
): Promise<number> {
  const isJson = ['--json', '--jsonl', '--select'].some((flag) =>
    args.some((arg) => arg === flag || arg.startsWith(`${flag}=`)),
  )
  const human: Terminal = {
    ...streams,
    json: { lines: false, path: [] },
    color: wantsColor(streams.out, environment),
    quiet:
      args.includes('--quiet') || args.includes('-q') || (isJson && streams.err.isTTY !== true),
  }
  let running: Running | undefined
  try {
    const program = createProgram(environment)
    const invocation = readArguments(program, args, { environment, width: streams.out.columns })
    if ('show' in invocation) {
      await printLine(human, invocation.show)
      return 0
    }
    const { member: command } = invocation
    if (command === undefined) return 0
    const { arguments: commandArguments, json } = readJsonFlags(invocation.arguments)
    const terminal = { ...human, json }
    running = {
      command: { ...command, flags: [...program.flags, ...command.flags] },
      arguments: commandArguments,
    }
    const start = await command.load()
    return await start({
      arguments: commandArguments,
      program,
      command,
      environment,
      terminal,
      signal,
    })
  } catch (error) {
    const explanation = await explainFailure(error, running, signal.aborted)
    streams.err.write(
      isJson
        ? formatJson(explanation)
        : formatText(explanation, { ...human, color: wantsColor(streams.err, environment) }),
    )
    return explanation.exitCode
  }
}

/** `--jsonl` and `--select` imply `--json`, so commands check `--json` only. */
function readJsonFlags(args: Arguments): {
  readonly arguments: Arguments
  readonly json: JsonForm
} {
  const select = args.text('select')
  if (select === '')
    throw expected('--select', select, 'a member such as balanceUsd, or a path such as 0.id')
  const json = { lines: args.has('jsonl'), path: select?.split('.') ?? [] }
  const isForm = json.lines || json.path.length > 0
  return {
    arguments: { ...args, has: (flag) => args.has(flag) || (flag === 'json' && isForm) },
    json,
  }
}

/** The running command and its arguments. */
type Running = { readonly command: Command; readonly arguments: Arguments }

/** Other errors than that of a wrong usage load the SDK, which they come from. */
async function explainFailure(
  error: unknown,
  running: Running | undefined,
  isAborted: boolean,
): Promise<Explanation> {
  if (error instanceof UsageError) {
    const advice = error instanceof ParseError ? { advice: `Run ${error.help} --help.` } : {}
    return { exitCode: 2, code: 'usage', message: error.message, ...advice }
  }
  const [{ explain }, { findUsedCaller }] = await Promise.all([
    import('./calls/explain.js'),
    import('./calls/connect.js'),
  ])
  return explain(error, {
    isAborted,
    typed: running,
    caller: running && findUsedCaller(running.arguments),
  })
}

function formatText({ message, advice }: Explanation, terminal: Terminal): string {
  return `${paint(terminal, 'red', 'farebox:')} ${stripControls(message)}\n${advice === undefined ? '' : `${stripControls(advice)}\n`}`
}

function formatJson({ code, message, advice, facts }: Explanation): string {
  return `${JSON.stringify({ error: { code, message, ...(advice !== undefined && { advice }), ...facts } })}\n`
}

/** Runs the command line of this process, and sets its exit code. */
export async function main(): Promise<void> {
  const giveUp = new AbortController()
  let strikes = 0
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // a second signal ends the process at once
      if (++strikes > 1) process.exit(130)
      giveUp.abort(new Error(signal))
    })
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // the reader of a pipe may close it early, which is not an error
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    process.stderr.write(
      `farebox: the output cannot be written (${error.code ?? error.message}).\n`,
    )
    process.exit(1)
  })
  // nobody reads the progress, but the work may be paid for
  process.stderr.on('error', () => undefined)
  process.exitCode = await run(process.argv.slice(2), {
    environment: process.env,
    streams: { in: process.stdin, out: process.stdout, err: process.stderr },
    signal: giveUp.signal,
  })
}
