import { defineConfig } from 'vitest/config'

const conditions = ['@farebox/source']

export default defineConfig({
  resolve: { conditions: [...conditions, 'module', 'node', 'import', 'default'] },
  ssr: { resolve: { conditions: [...conditions, 'module', 'node', 'import', 'default'] } },
  test: {
    include: ['{packages,tools}/*/src/**/*.test.ts', 'tools/*/runtime/**/*.test.ts', 'tests/**/*.test.ts'],
    reporters: process.env['CI'] ? ['default', ['json', { outputFile: '.ci/report.json' }]] : ['default'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
