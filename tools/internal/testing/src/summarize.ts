import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

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
  const tested = listFolders(root).filter((folder) => hasTestScript(join(root, folder)))
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
  for (const folder of listFolders(root)) rmSync(reportPath(root, folder), { force: true })
}

function listFolders(root: string): readonly string[] {
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

/** What turbo writes with TURBO_RUN_SUMMARY. A task that is not cached has no log of its own. */
type RunSummary = { readonly tasks: readonly Task[] }

type Task = {
  readonly taskId: string
  readonly directory?: string
  readonly logFile?: string
  readonly execution?: { readonly exitCode?: number; readonly error?: string }
}

/** A task that failed, such as `//#lint:all`, with the end of its log. */
type FailedTask = { readonly name: string; readonly end: string }

/** The end of a log is this long: most tools print their findings last. */
const LOG_LINES = 20

/**
 * The tasks that failed in the runs of turbo below `root`. The tests of `reported` folders are left
 * out: their reports say more.
 */
export function listFailedTasks(root: string, reported: readonly string[]): readonly FailedTask[] {
  const folder = join(root, '.turbo/runs')
  if (!existsSync(folder)) return []
  const runs = readdirSync(folder).map(
    (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as RunSummary,
  )
  return runs
    .flatMap(({ tasks }) => tasks)
    .filter(
      ({ taskId, directory = '' }) => !taskId.endsWith('#test') || !reported.includes(directory),
    )
    .filter(({ execution }) => execution !== undefined && execution.exitCode !== 0)
    .map(({ taskId, logFile, execution }) => ({
      name: taskId,
      end: readEnd(root, logFile) ?? execution?.error ?? '(it left no log)',
    }))
}

function readEnd(root: string, log: string | undefined): string | undefined {
  if (log === undefined || !existsSync(join(root, log))) return undefined
  return stripVTControlCharacters(readFileSync(join(root, log), 'utf8'))
    .trimEnd()
    .split('\n')
    .slice(-LOG_LINES)
    .join('\n')
}
