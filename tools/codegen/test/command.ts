import { join } from 'node:path'
import { main } from '../src/command/main.js'
import type { Io } from '../src/command/io.js'
import { generate } from '../src/pipeline/generate.js'

/** What a run of the command has printed, and its exit code. */
export type CommandResult = { readonly code: number; readonly out: string; readonly error: string }

/** Runs the command within the test. */
export async function run(
  cwd: string,
  argv: readonly string[],
  io: Partial<Io> = {},
): Promise<CommandResult> {
  const out: string[] = []
  const error: string[] = []
  let time = 0
  const code = await main(argv, {
    out: (line) => out.push(line),
    error: (line) => error.push(line),
    cwd,
    env: {},
    now: () => (time += 5),
    signal: new AbortController().signal,
    temp: join(cwd, 'temp'),
    stdin: new Blob().stream(),
    load: async () => generate,
    ...io,
  })
  return { code, out: out.join('\n'), error: error.join('\n') }
}
