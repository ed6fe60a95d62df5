import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'

/** Set for the command that npx starts, so that a failed installation ends and does not start npx again. */
const marker = 'FAREBOX_STARTED_BY_NPX'
const advice = 'Run npm install @farebox/cli, and farebox again.'

/**
 * Runs `@farebox/cli` of this version, which npx installs into its cache. The command has the streams of this process, gets its signals, and
 * decides its exit code.
 */
export async function runByNpx(version: string, args: readonly string[]): Promise<void> {
  if (process.env[marker] !== undefined) return fail(`npx did not install @farebox/cli ${version}. ${advice}`)
  const [file, ...before] = npx(process.platform, process.execPath)
  const child = spawn(file, [...before, '--yes', `--package=@farebox/cli@${version}`, '--', 'farebox', ...args], {
    stdio: 'inherit',
    env: { ...process.env, [marker]: version },
  })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  await new Promise<void>((resolve) => {
    child.once('error', (error) => {
      fail(`The command is the package @farebox/cli, which is not installed, and npx cannot be started (${error.message}). ${advice}`)
      resolve()
    })
    child.once('exit', (code, signal) => {
      if (signal !== null) {
        for (const each of signals) process.removeAllListeners(each)
        process.kill(process.pid, signal)
      }
      process.exitCode = code ?? 1
      resolve()
    })
  })
}

/** Windows starts no `npx.cmd` without a shell, and a shell would read the arguments; npm's own file stands beside Node there. */
export function npx(platform: string, execPath: string): readonly [string, ...string[]] {
  return platform === 'win32' ? [execPath, join(dirname(execPath), 'node_modules', 'npm', 'bin', 'npx-cli.js')] : ['npx']
}

function fail(message: string): void {
  process.stderr.write(`farebox: ${message}\n`)
  process.exitCode = 1
}
