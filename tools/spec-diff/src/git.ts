import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What a git command prints, without the line's end. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await run('git', [...args], { cwd, maxBuffer: 64 * 1024 * 1024 })).stdout.trim()
}
