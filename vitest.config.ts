import { defineConfig } from 'vitest/config'

const conditions = ['@farebox/source']

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
    // what hangs, ends; what is slow on a busy machine, does not
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
