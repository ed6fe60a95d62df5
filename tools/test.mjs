// `pnpm test [options of turbo]`: all tests, from the cache where nothing changed. The last lines
// name the tests that failed.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const given = process.argv.slice(2)

// what an earlier run reported is not of this one
rmSync(join(root, '.turbo/runs'), { recursive: true, force: true })
const folders = ['packages', 'tools', 'tools/internal'].flatMap((parent) =>
  readdirSync(join(root, parent)).map((child) => `${parent}/${child}`),
)
for (const folder of [...folders, 'packages/docs/samples', 'tests']) {
  const report = join(root, folder, 'test-report.json')
  if (existsSync(report)) rmSync(report)
}

const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_RUN_SUMMARY: 'true' }
const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo')
const run = (...args) =>
  spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1
const tested = run(turbo, 'run', 'test', '--continue', ...given)
// with options, some packages may have been left out
const summarized = run(
  join(root, 'tools/internal/testing/dist/summary.js'),
  ...(given.length > 0 ? ['--some'] : []),
)
process.exitCode = tested === 0 ? summarized : tested
