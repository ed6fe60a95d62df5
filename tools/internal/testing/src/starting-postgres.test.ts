import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findPostgresTests } from './starting-postgres.js'

it('finds the tests that start a PostgreSQL, however many files lie between', () => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-postgres-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = {
    'src/direct.test.ts': `import { startPostgres } from '@farebox/testing/postgres'`,
    'src/deep/far.test.ts': `import { a } from '../a.js'`,
    'src/late.test.ts': `const { b } = await import('../test/b.js')`,
    'src/other.test.ts': `import { c } from './c.js'`,
    'src/a.ts': `import { b } from '../test/b.js'`,
    'src/c.ts': `export const c = '@farebox/testing/postgres'`,
    'test/b.ts': `export * from '@farebox/testing/postgres'`,
    'node_modules/p/p.test.ts': `import { startPostgres } from '@farebox/testing/postgres'`,
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const expected = ['src/deep/far.test.ts', 'src/direct.test.ts', 'src/late.test.ts']
  expect(findPostgresTests(folder)).toEqual(expected.map((path) => join(folder, path)))
})
