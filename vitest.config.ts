import { defineConfig } from 'vitest/config'

const conditions = ['@farebox/source']
/** What takes a minute on an idle machine takes no longer than this on one that is ten times slower. */
const patienceMs = 600_000

export default defineConfig({
  // 'import' and 'default' are added where they belong; named here they would reach require() too
  resolve: { conditions: [...conditions, 'node'] },
  ssr: { resolve: { conditions: [...conditions, 'node'] } },
  test: {
    include: [
      '{packages,tools}/*/src/**/*.test.ts',
      'tools/*/runtime/**/*.test.ts',
      'tests/**/*.test.ts',
      'packages/docs/samples/*.test.ts',
    ],
    reporters: process.env['CI'] ? ['default', ['json', { outputFile: '.ci/report.json' }]] : ['default'],
    // by default one of two cores is left idle
    maxWorkers: '100%',
    // what hangs, ends; what is slow on a busy machine, does not. No test has a time of its own
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
    expect: { poll: { timeout: patienceMs } },
  },
})
