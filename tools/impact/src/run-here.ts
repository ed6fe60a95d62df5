import { exitCodes, runProgram, world, type Arguments, type Program } from '@farebox/command-line'
import { VersionError } from '@farebox/spec-diff'
import { TreeError } from './fix/fix.js'
import { ProjectError } from './read-program.js'

/** Runs a command in this process. What the user can mend ends it with a sentence. */
export async function runHere<F extends string>(program: Program<F>, run: (given: Arguments<F>) => Promise<number>): Promise<void> {
  const { name } = program
  process.exitCode = await runProgram(program, process.argv.slice(2), world, (given) =>
    run(given).catch((error: unknown) => {
      if (!(error instanceof VersionError || error instanceof ProjectError || error instanceof TreeError)) throw error
      process.stderr.write(`${name}: ${error.message}\n`)
      return exitCodes.failed
    }),
  ).catch((error: unknown) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    process.stderr.write(`${name} failed, which is our fault. Please report this:\n${text}\n`)
    return exitCodes.internal
  })
}

/** Writes a warning to the standard error. */
export function warn(message: string): void {
  process.stderr.write(`WARNING: ${message}\n`)
}
