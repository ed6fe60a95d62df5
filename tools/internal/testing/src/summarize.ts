import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'

/** What vitest's JSON reporter writes and counts here. Its paths are absolute. */
type Report = {
  readonly numPassedTests: number
  readonly testResults: readonly TestFile[]
}

type TestFile = {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly assertionResults: readonly {
    readonly status: string
    readonly fullName: string
    readonly failureMessages: readonly string[]
  }[]
}

/** A failed test, or a file that failed before its first test, with the start of its message. */
export type Failure = { readonly folder: string; readonly name: string; readonly reason: string }

export type Summary = {
  readonly passed: number
  readonly failures: readonly Failure[]
  readonly missing: readonly string[]
}

/** A reason is cut here: the summary names causes, and the log above holds the whole text. */
const REASON_LINES = 12

/**
 * Adds up the test reports of all packages below `root`. A package with a test script and without a
 * report is `missing`: its tests did not run to their end. A file that failed before its first test
 * counts as one failed test.
 */
export function summarize(root: string): Summary {
  const tested = foldersBelow(root).filter((folder) => hasTestScript(join(root, folder)))
  const missing = tested.filter((folder) => !existsSync(reportPath(root, folder)))
  const reports = tested
    .filter((folder) => !missing.includes(folder))
    .map((folder) => ({
      folder,
      ...(JSON.parse(readFileSync(reportPath(root, folder), 'utf8')) as Report),
    }))
  return {
    passed: sum(reports.map(({ numPassedTests }) => numPassedTests)),
    failures: reports.flatMap(({ folder, testResults }) =>
      testResults.flatMap((file) => listFailures(root, file).map((one) => ({ folder, ...one }))),
    ),
    missing,
  }
}

/** So that what an earlier run reported does not count for the next one. */
export function removeReports(root: string): void {
  for (const folder of foldersBelow(root)) rmSync(reportPath(root, folder), { force: true })
}

function foldersBelow(root: string): readonly string[] {
  const folders = ['packages', 'tools', 'tools/internal'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((child) => `${parent}/${child}`),
  )
  return [...folders, 'packages/docs/samples', 'tests'].filter((folder) =>
    existsSync(join(root, folder, 'package.json')),
  )
}

function listFailures(
  root: string,
  { name, status, message, assertionResults }: TestFile,
): readonly Omit<Failure, 'folder'>[] {
  const path = relative(root, name)
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (failed.length === 0)
    return status === 'failed' ? [{ name: path, reason: shorten(message) }] : []
  return failed.map(({ fullName, failureMessages }) => ({
    name: `${path}: ${fullName}`,
    reason: shorten(failureMessages.join('\n')),
  }))
}

function shorten(text: string): string {
  return text.split('\n').slice(0, REASON_LINES).join('\n')
}

function reportPath(root: string, folder: string): string {
  return join(root, folder, 'test-report.json')
}

function hasTestScript(folder: string): boolean {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly scripts?: Readonly<Record<string, string>>
  }
  return scripts?.['test'] !== undefined
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
