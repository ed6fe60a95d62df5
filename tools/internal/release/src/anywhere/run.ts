// `pnpm test:anywhere [PACKAGE …]`: all tests as other machines run them.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram, world, type Program } from '@farebox/command-line'
import { removeReports, summarize } from '@farebox/testing/summarize'
import { root } from '../root.js'
import { combinations, type Combination, type Variation } from './variations.js'

const program: Program<never> = {
  name: 'test:anywhere',
  summary:
    'runs the tests on other days, in other time zones and orders, on other versions of Node, with an empty HOME, on a busy machine',
  details: `Combines these in a few runs. The variations of a run that fails are repeated one by one, for the packages that failed. Tests that start a
PostgreSQL stay on the day of today, because its clock does not move.`,
  operands: [{ name: 'PACKAGE', required: false, many: true }],
  flags: [],
  notes: [
    {
      title: 'Runs:',
      rows: combinations.map(
        (one, index) => [String(index + 1), describeCombination(one)] as const,
      ),
    },
    { title: 'Exit codes:', text: '0 all tests passed in all runs, 1 some failed, 2 wrong usage.' },
  ],
  examples: ['npx --yes pnpm@12.21.0 test:anywhere @farebox/auth'],
}

type Result = {
  readonly passed: number
  readonly failures: readonly string[]
  /** Folders of packages whose tests failed. */
  readonly folders: readonly string[]
}

process.exitCode = await runProgram(program, process.argv.slice(2), world, async ({ operands }) => {
  const start = performance.now()
  if (runTurbo(['build', 'package'], operands, process.env) !== 0) return 1
  let failed = 0
  for (const one of combinations) {
    const chosen =
      operands.length === 0
        ? one.packages
        : operands.filter((name) => one.packages?.includes(name) ?? true)
    if (chosen?.length === 0) continue
    const from = performance.now()
    const { passed, failures, folders } = await runTests(one.variations, chosen ?? [])
    const isRed = failures.length > 0 || passed === 0
    console.log(
      `${isRed ? 'FAILED ' : 'ok     '} ${describeCombination(one)}: ${passed} passed, ${failures.length} failed (${formatElapsed(from)})`,
    )
    if (!isRed) continue
    failed++
    for (const name of failures) console.log(`        ${name}`)
    for (const variation of one.variations.length > 1 ? one.variations : []) {
      const again = await runTests(
        [variation],
        folders.map((folder) => `./${folder}`),
      )
      console.log(
        `        ${again.failures.length === 0 ? 'passes' : 'FAILS '} ${variation.name} alone`,
      )
      for (const name of again.failures) console.log(`                 ${name}`)
    }
  }
  console.log(
    failed === 0
      ? `All runs passed in ${formatElapsed(start)}`
      : `FAILED: ${failed} of ${combinations.length} runs, in ${formatElapsed(start)}`,
  )
  return failed === 0 ? 0 : 1
})

/** The tests of these packages, or of all, with some variations. */
async function runTests(
  variations: readonly Variation[],
  packages: readonly string[],
): Promise<Result> {
  const added = variations.map(({ env }) => env())
  const isBusy = variations.some((one) => one.isBusy)
  const loops = Array.from({ length: isBusy ? 2 : 0 }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  )
  removeReports(root)
  try {
    const code = runTurbo(
      ['test', '--only', '--force'],
      packages,
      Object.assign({ ...process.env }, ...added) as NodeJS.ProcessEnv,
      isBusy,
    )
    const { passed, failures, missing } = summarize(root)
    const unreported = missing.filter(
      (folder) =>
        packages.length === 0 ||
        packages.some((name) => [readName(folder), `./${folder}`].includes(name)),
    )
    const names = [
      ...failures.map(({ name }) => name),
      ...unreported.map((folder) => `${folder}: no test report`),
    ]
    if (code !== 0 && names.length === 0) names.push('turbo')
    return {
      passed,
      failures: names,
      folders: [...new Set([...failures.map(({ folder }) => folder), ...unreported])],
    }
  } finally {
    for (const loop of loops) loop.kill()
    for (const { HOME } of added)
      if (HOME !== undefined) rmSync(HOME, { recursive: true, force: true })
  }
}

function readName(folder: string): string {
  return (
    JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
      readonly name: string
    }
  ).name
}

function runTurbo(
  tasks: readonly string[],
  packages: readonly string[],
  env: NodeJS.ProcessEnv,
  isNice = false,
): number {
  const command = [
    join(root, 'node_modules/.bin/turbo'),
    'run',
    ...tasks,
    '--continue',
    '--output-logs=errors-only',
  ]
  const filters = packages.map((name) => `--filter=${name}`)
  const [file = '', ...args] = [...(isNice ? ['nice', '-n', '19'] : []), ...command, ...filters]
  const options = {
    cwd: root,
    env: { ...env, TURBO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'ignore', 'inherit'] as const,
  }
  return spawnSync(file, args, { ...options, stdio: [...options.stdio] }).status ?? 1
}

function describeCombination({ variations, packages }: Combination): string {
  const names = variations.map(({ name }) => name).join(', ')
  return packages === undefined ? names : `${names} (${packages.join(', ')})`
}

function formatElapsed(from: number): string {
  return `${((performance.now() - from) / 1000).toFixed(0)} s`
}
