import { defineConfig } from 'vitest/config'

const conditions = ['@farebox/source']

/** A minute's work on an idle machine ends within this time on one that is ten times slower. */
const patienceMs = 600_000

/**
 * One configuration for every package. Each package runs its tests from its own folder; the root
 * runs those that span packages.
 */
export default defineConfig({
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
    // A hanging test ends. A slow machine does not fail a test, and no test has a timeout of its
    // own.
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
    expect: { poll: { timeout: patienceMs } },
  },
})
