import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The figures that vitest's JSON reporter writes and that count here. */
type Report = {
  readonly success: boolean
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numFailedTestSuites: number
}

export type Summary = { readonly passed: number; readonly failed: number; readonly missing: readonly string[] }

/**
 * Adds up the test reports of all packages below `root`. A package with a test script and without a report is `missing`: its tests did not
 * run to their end. A file that failed before its first test counts as one failed test.
 */
export function summarize(root: string): Summary {
  const folders = ['packages', 'tools'].flatMap((parent) => readdirSync(join(root, parent)).map((child) => `${parent}/${child}`))
  const tested = [...folders, 'packages/docs/samples', 'tests'].filter((folder) => hasTestScript(join(root, folder)))
  const missing = tested.filter((folder) => !existsSync(reportOf(root, folder)))
  const reports = tested
    .filter((folder) => !missing.includes(folder))
    .map((folder) => JSON.parse(readFileSync(reportOf(root, folder), 'utf8')) as Report)
  return {
    passed: sum(reports.map(({ numPassedTests }) => numPassedTests)),
    failed: sum(reports.map(({ success, numFailedTests, numFailedTestSuites }) => numFailedTests || (success ? 0 : numFailedTestSuites))),
    missing,
  }
}

function reportOf(root: string, folder: string): string {
  return join(root, folder, 'test-report.json')
}

function hasTestScript(folder: string): boolean {
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) return false
  const { scripts } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly scripts?: Readonly<Record<string, string>> }
  return scripts?.['test'] !== undefined
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
