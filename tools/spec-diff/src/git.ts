import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The output of a git command, without the final line break. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await run('git', [...args], { cwd, maxBuffer: 64 * 1024 * 1024 })).stdout.trim()
}
