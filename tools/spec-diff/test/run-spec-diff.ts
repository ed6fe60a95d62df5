import { specDiff } from '../src/command/spec-diff.js'

/** Runs the command in a folder, within this process, and returns what it prints. */
export async function runSpecDiff(cwd: string, args: readonly string[]) {
  let [stdout, stderr] = ['', '']
  const status = await specDiff(args, {
    cwd,
    environment: process.env,
    out: { write: (text) => (stdout += text) },
    err: { write: (text) => (stderr += text) },
  })
  return { status, stdout, stderr }
}
