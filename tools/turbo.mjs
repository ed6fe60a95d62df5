// `node tools/turbo.mjs TASK… [options of turbo]`: runs tasks without telemetry, on every system.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo')

/** The exit code of turbo. */
export function runTasks(args, env = {}) {
  const { status } = spawnSync(process.execPath, [turbo, 'run', ...args], {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', ...env },
    stdio: 'inherit',
  })
  return status ?? 1
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = runTasks(process.argv.slice(2))
