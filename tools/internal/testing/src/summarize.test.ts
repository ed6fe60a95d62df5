import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { summarize } from './summarize.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'farebox-summary-'))
  for (const folder of ['packages', 'tools/internal', 'tests'])
    mkdirSync(join(root, folder), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, value: unknown): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), JSON.stringify(value))
}

type Test = readonly [name: string, failure?: string]

/**
 * Writes the report of a package whose one file ran these tests. `message` is set where the file
 * itself failed.
 */
function tested(folder: string, tests: readonly Test[], message = ''): void {
  const failed = tests.some(([, failure]) => failure !== undefined) || message !== ''
  write(`${folder}/package.json`, { scripts: { test: 'vitest run' } })
  write(`${folder}/test-report.json`, {
    numPassedTests: tests.filter(([, failure]) => failure === undefined).length,
    testResults: [
      {
        name: join(root, folder, 'src/a.test.ts'),
        status: failed ? 'failed' : 'passed',
        message,
        assertionResults: tests.map(([fullName, failure]) => ({
          fullName,
          status: failure === undefined ? 'passed' : 'failed',
          failureMessages: failure === undefined ? [] : [failure],
        })),
      },
    ],
  })
}

it('adds up what packages, tools and the tests between them report', () => {
  tested('packages/one', [['a'], ['b'], ['c']])
  tested('tools/two', [['d']])
  tested('tests', [['e']])
  tested('packages/docs/samples', [['f']])
  write('packages/untested/package.json', { scripts: { build: 'tsc -b' } })
  expect(summarize(root)).toEqual({ passed: 6, failures: [], missing: [] })
})

it('names each failed test, its file and the start of its reason', () => {
  tested('tools/two', [
    ['d'],
    [
      'pays once',
      ['expected 2 to be 1', ...Array.from({ length: 40 }, () => 'at a line')].join('\n'),
    ],
  ])
  const { passed, failures } = summarize(root)
  expect(passed).toBe(1)
  expect(failures).toHaveLength(1)
  expect(failures[0]?.folder).toBe('tools/two')
  expect(failures[0]?.name).toBe('tools/two/src/a.test.ts: pays once')
  expect(failures[0]?.reason).toMatch(/^expected 2 to be 1\n/)
  expect(failures[0]?.reason.split('\n')).toHaveLength(12)
})

it('counts a file that failed before its first test', () => {
  tested('packages/one', [], 'Cannot find package')
  expect(summarize(root)).toEqual({
    passed: 0,
    failures: [
      { folder: 'packages/one', name: 'packages/one/src/a.test.ts', reason: 'Cannot find package' },
    ],
    missing: [],
  })
})

it('names a package whose tests left no report', () => {
  write('packages/one/package.json', { scripts: { test: 'vitest run' } })
  expect(summarize(root)).toEqual({ passed: 0, failures: [], missing: ['packages/one'] })
})
