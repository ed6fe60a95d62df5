// `pnpm --filter @farebox/auth fuzz [--runs 1000000] [--seed N]`: the long run of the fuzz test of
// sign-in headers, with its progress.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '1000000' }, seed: { type: 'string' } },
})
const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 32))
console.log(`${values.runs} headers; reproduce with --seed ${seed}`)
const root = fileURLToPath(new URL('../..', import.meta.url))
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    'packages/auth/src/verify/fuzz-siwx-headers.test.ts',
    '--disable-console-intercept',
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, RUNS: values.runs, SEED: seed } },
)
process.exitCode = status ?? 1
