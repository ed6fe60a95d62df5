import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const conditions = ['@farebox/source']

/** A minute's work on an idle machine ends within this time on one that is ten times slower. */
const patienceMs = 600_000

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

/**
 * One configuration for every package. Each package runs its tests from its own folder; the root
 * runs those that span packages.
 */
export default defineConfig({
  plugins: [seededFastCheck()],
  // 'import' and 'default' are added where they belong; named here they would reach require() too
  resolve: { conditions: [...conditions, 'node'] },
  ssr: { resolve: { conditions: [...conditions, 'node'] } },
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/.tmp/**', '**/fixtures/**'],
    // The JSON report is an output of the turbo task. tools/testing/src/summary.ts adds the reports
    // up.
    reporters: ['default', ['json', { outputFile: 'test-report.json' }]],
    // By default vitest leaves one of two cores idle.
    maxWorkers: '100%',
    // The files of a worker share loaded modules and emptied databases: a fifth to a half less
    // work. A stub ends with its test.
    isolate: false,
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
