import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { summarize } from './summarize.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'farebox-summary-'))
  for (const folder of ['packages', 'tools', 'tests']) mkdirSync(join(root, folder))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, value: unknown): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), JSON.stringify(value))
}

function tested(folder: string, passed: number, failed: number, success = failed === 0): void {
  write(`${folder}/package.json`, { scripts: { test: 'vitest run' } })
  write(`${folder}/test-report.json`, { success, numPassedTests: passed, numFailedTests: failed, numFailedTestSuites: success ? 0 : 1 })
}

it('adds up what packages, tools and the tests between them report', () => {
  tested('packages/one', 3, 0)
  tested('tools/two', 4, 1)
  tested('tests', 5, 0)
  tested('packages/docs/samples', 6, 0)
  write('packages/untested/package.json', { scripts: { build: 'tsc -b' } })
  expect(summarize(root)).toEqual({ passed: 18, failed: 1, missing: [] })
})

it('counts a file that failed before its first test', () => {
  tested('packages/one', 0, 0, false)
  expect(summarize(root)).toEqual({ passed: 0, failed: 1, missing: [] })
})

it('names a package whose tests left no report', () => {
  write('packages/one/package.json', { scripts: { test: 'vitest run' } })
  expect(summarize(root)).toEqual({ passed: 0, failed: 0, missing: ['packages/one'] })
})
