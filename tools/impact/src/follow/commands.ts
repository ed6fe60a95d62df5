import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { TreeError } from '../fix/fix.js'

const run = promisify(execFile)
const maxBuffer = 256 * 1024 * 1024

/** Returns the output of a program. Throws a TreeError with its message if it fails. */
export async function runFile(
  cwd: string,
  file: string,
  ...args: readonly string[]
): Promise<string> {
  return run(file, [...args], { cwd, maxBuffer }).then(
    ({ stdout }) => stdout,
    (error: unknown) => {
      throw new TreeError(
        `${[file, ...args.slice(0, 2)].join(' ')} failed:\n${describeError(error)}`,
      )
    },
  )
}

/** Runs a command of the user. Throws a TreeError with its output if it fails. */
export async function runOrFail(cwd: string, command: string): Promise<void> {
  const failed = await findFailure(cwd, command)
  if (failed !== undefined) throw new TreeError(`${command} failed:\n${failed}`)
}

/** The output of a command of the user if it fails. */
export async function findFailure(cwd: string, command: string): Promise<string | undefined> {
  return run(command, { cwd, maxBuffer, shell: true }).then(
    () => undefined,
    (error: unknown) => describeError(error),
  )
}

function describeError(error: unknown): string {
  const { stdout = '', stderr = '' } = error as {
    readonly stdout?: string
    readonly stderr?: string
  }
  const words = [stdout, stderr].map((text) => text.trim()).filter((text) => text !== '')
  return words.length > 0 ? words.join('\n') : String(error)
}
