// `pnpm test [options of turbo]`: all tests, from the cache where nothing changed. The last lines
// name the tests that failed.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runTasks } from './turbo.mjs'

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

const tested = runTasks(['test', '--continue', ...given], { TURBO_RUN_SUMMARY: 'true' })
// with options, some packages may have been left out
const summarized = spawnSync(
  process.execPath,
  [join(root, 'tools/internal/testing/dist/summary.js'), ...(given.length > 0 ? ['--some'] : [])],
  { cwd: root, stdio: 'inherit' },
).status
process.exitCode = tested === 0 ? (summarized ?? 1) : tested
