import { PassThrough } from 'node:stream'
import { run } from '../src/run.js'

/** The command that runs in this process, with streams that stay open. */
export type Running = {
  readonly stdin: PassThrough
  readonly stdout: PassThrough
  readonly stderr: PassThrough
  /** What Ctrl-C does. */
  readonly interrupt: () => void
  readonly code: Promise<number>
}

export function startCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Running {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const stop = new AbortController()
  const code = run(args, {
    environment,
    streams: { in: stdin, out: stdout, err: stderr },
    signal: stop.signal,
  })
  return { stdin, stdout, stderr, interrupt: () => stop.abort(), code }
}
