import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { listFailedTasks, summarize } from './summarize.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'farebox-summary-'))
  for (const folder of ['packages', 'tools/internal', 'tests'])
    mkdirSync(join(root, folder), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, value: unknown): void {
  writeText(path, JSON.stringify(value))
}

function writeText(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

type Test = readonly [name: string, failure?: string]

/**
 * Writes the report of a package whose one file ran these tests. `message` is set where the file
 * itself failed.
 */
function writeReport(folder: string, tests: readonly Test[], message = ''): void {
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
  writeReport('packages/one', [['a'], ['b'], ['c']])
  writeReport('tools/two', [['d']])
  writeReport('tests', [['e']])
  writeReport('packages/docs/samples', [['f']])
  write('packages/untested/package.json', { scripts: { build: 'tsc -b' } })
  expect(summarize(root)).toEqual({ passed: 6, failures: [], missing: [] })
})

it('names each failed test, its file and the start of its reason', () => {
  writeReport('tools/two', [
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
  writeReport('packages/one', [], 'Cannot find package')
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

function writeRun(run: string, tasks: Readonly<Record<string, number | undefined>>): void {
  const written = Object.entries(tasks).map(([taskId, exitCode]) => ({
    taskId,
    logFile: `logs/${taskId}.log`,
    ...(exitCode !== undefined && { execution: { exitCode } }),
  }))
  write(`.turbo/runs/${run}.json`, { tasks: written })
}

it('names the tasks that failed in any run, with the end of their logs in plain text', () => {
  writeRun('first', { '//#drift': 0, '@farebox/zod#build': 2 })
  writeRun('second', { '//#lint:all': 1, '//#budgets': undefined })
  writeText('logs/@farebox/zod#build.log', 'error TS1005\n')
  writeText(
    'logs///#lint:all.log',
    `${'0 errors\n'.repeat(40)}\u001B[31mprogram.ts\u001B[0m\nFormat issues found\n`,
  )
  expect(listFailedTasks(root, [])).toEqual([
    { name: '@farebox/zod#build', end: 'error TS1005' },
    { name: '//#lint:all', end: `${'0 errors\n'.repeat(18)}program.ts\nFormat issues found` },
  ])
})

it('takes failed tests from their reports, unless the reports have none', () => {
  const execution = { exitCode: 1, error: 'exited (1)' }
  const tasks = ['zod', 'auth'].map((name) => ({
    taskId: `@farebox/${name}#test`,
    directory: `packages/${name}`,
    execution,
  }))
  write('.turbo/runs/first.json', { tasks })
  expect(listFailedTasks(root, ['packages/zod'])).toEqual([
    { name: '@farebox/auth#test', end: 'exited (1)' },
  ])
})

it('names a task that left no log', () => {
  writeRun('first', { '//#budgets': 1 })
  expect(listFailedTasks(root, [])).toEqual([{ name: '//#budgets', end: '(it left no log)' }])
})

it('names a task that turbo keeps no log of', () => {
  const tasks = [
    {
      taskId: '//#changesets',
      execution: { exitCode: 1, error: 'command pnpm run changesets exited (1)' },
    },
  ]
  write('.turbo/runs/first.json', { tasks })
  expect(listFailedTasks(root, [])).toEqual([
    { name: '//#changesets', end: 'command pnpm run changesets exited (1)' },
  ])
})

it('finds nothing if turbo wrote no summary', () => {
  expect(listFailedTasks(root, [])).toEqual([])
})
