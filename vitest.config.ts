import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { findPostgresTests } from './tools/internal/testing/src/starting-postgres.js'

/**
 * A minute's work on an idle machine ends within this time on one that is ten times slower. The deep
 * suite has longer tests.
 */
const patienceMs = process.env['RUNS'] === 'all' ? 3_600_000 : 600_000

const seed = process.env['SEED'] ?? '4361'

/**
 * Gives every property test one seed, so that a commit passes or fails alike on every machine.
 * `SEED=random` looks for new counterexamples, and `SEED=N` repeats a run.
 */
const seededFastCheck = (): Plugin => {
  const seeded = '\0seeded-fast-check'
  let original = ''
  return {
    name: 'seeded-fast-check',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (source !== 'fast-check' || seed === 'random') return undefined
      const found = await this.resolve(source, importer, { skipSelf: true })
      if (found) original = JSON.stringify(found.id)
      return found && seeded
    },
    load: (id) =>
      id === seeded
        ? `import fc from ${original}\nfc.configureGlobal({ seed: ${Number(seed)} })\nexport * from ${original}\nexport default fc\n`
        : undefined,
  }
}

/** Tests that only the deep suite runs, as `RUNS=all` does. */
const deep = process.env['RUNS'] === 'all' ? [] : ['**/*.deep.test.ts']
const include = ['**/*.test.ts']
const exclude = ['**/node_modules/**', '**/dist/**', '**/.tmp/**', '**/fixtures/**', ...deep]

/** V8 optimizes the embedded database for longer than a test file needs it. */
const execArgv = ['--liftoff-only']

/** `SHUFFLE=N` runs the files of a package in another order. */
const shuffle = process.env['SHUFFLE']

/**
 * `DAYS_AHEAD=N` runs the tests, and the commands that they start, on another day; the tests that
 * start a PostgreSQL stay in the present.
 */
const daysAhead = Number(process.env['DAYS_AHEAD'] ?? 0)

function onAnotherDay(): TestProjectInlineConfiguration[] {
  const shim = fileURLToPath(new URL('tools/internal/testing/shift-date.cjs', import.meta.url))
  const options = [process.env['NODE_OPTIONS'], `--require=${JSON.stringify(shim)}`]
    .join(' ')
    .trim()
  const staying = [...findPostgresTests(process.cwd())]
  return [
    {
      extends: true,
      test: { name: 'later', include, exclude: staying, env: { NODE_OPTIONS: options }, execArgv },
    },
    ...(staying.length > 0
      ? [
          {
            extends: true,
            test: { name: 'now', include: staying, env: { DAYS_AHEAD: '0' }, execArgv },
          } as const,
        ]
      : []),
  ]
}

/**
 * One configuration for every package. Each package runs its tests from its own folder; the root
 * runs those that span packages.
 */
export default defineConfig({
  plugins: [seededFastCheck()],
  // 'import' and 'default' are added where they belong; named here they would reach require() too
  resolve: { conditions: ['node'] },
  ssr: { resolve: { conditions: ['node'] } },
  test: {
    exclude,
    execArgv,
    ...(shuffle !== undefined && {
      sequence: { shuffle: { files: true, tests: false }, seed: Number(shuffle) },
    }),
    ...(daysAhead === 0 ? { include } : { projects: onAnotherDay() }),
    // The JSON report is an output of the turbo task. tools/internal/testing/src/summary.ts adds the reports
    // up.
    reporters: ['default', ['json', { outputFile: 'test-report.json' }]],
    // By default vitest leaves one of two cores idle.
    maxWorkers: '100%',
    setupFiles: [
      fileURLToPath(new URL('tools/internal/testing/src/reset-stat.ts', import.meta.url)),
    ],
    // The files of a worker share loaded modules and emptied databases: a fifth to a half less
    // work. A stub ends with its test.
    isolate: false,
    // A package is tested from its sources. What it imports of others is what was built, as users
    // have it, and Node loads that without a transformation.
    server: { deps: { external: [/\/(?:packages|tools)\/.*\/dist\//] } },
    unstubGlobals: true,
    unstubEnvs: true,
    env: {
      // Limits of time in the service that no test is about: a slow machine does not reach them.
      FAREBOX_TIMEOUT_SCALE: '20',
      // No folder can be made there: a test that pays names its store, and leaves the user's alone.
      XDG_STATE_HOME: '/dev/null/farebox',
    },
    // A hanging test ends. A slow machine does not fail a test, and no test has a timeout of its
    // own.
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
    expect: { poll: { timeout: patienceMs } },
  },
})
