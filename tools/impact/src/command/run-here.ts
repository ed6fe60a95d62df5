import { readFileSync } from 'node:fs'
import {
  exitCodes,
  runProgram,
  world,
  type Arguments,
  type Program,
  type World,
} from '@farebox/command-line'
import { VersionError } from '@farebox/spec-diff'
import { TreeError } from '../fix/fix.js'
import { ProjectError } from '../find/read-input.js'

type CommandHandler<F extends string> = (args: Arguments<F>, world: World) => Promise<number>

/** Runs a command with the arguments and the streams of this process. */
export async function runHere<F extends string>(
  program: Program<F>,
  run: CommandHandler<F>,
): Promise<void> {
  process.exitCode = await runReporting(world, process.argv.slice(2), program, run)
}

/** Runs a command and returns its exit code. Errors that the user can fix are printed as a line. */
export async function runReporting<F extends string>(
  world: World,
  args: readonly string[],
  program: Program<F>,
  run: CommandHandler<F>,
): Promise<number> {
  const { name } = program
  return runProgram(program, args, world, (args) =>
    run(args, world).catch((error: unknown) => {
      if (
        !(
          error instanceof VersionError ||
          error instanceof ProjectError ||
          error instanceof TreeError
        )
      )
        throw error
      world.err.write(`${name}: ${error.message}\n`)
      return exitCodes.failed
    }),
  ).catch((error: unknown) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    world.err.write(`${name} failed because of a bug. Please report this:\n${text}\n`)
    return exitCodes.internal
  })
}

/** Writes a warning to the standard error. */
export function warnTo({ err }: World): (message: string) => void {
  return (message) => void err.write(`WARNING: ${message}\n`)
}

/** The version of this package. */
export function readPackageVersion(): string {
  const manifest = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { readonly version: string }
  return manifest.version
}
