import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** What turbo writes with TURBO_RUN_SUMMARY. A task that is not cached has no log of its own. */
type Run = { readonly tasks: readonly Task[] }

type Task = {
  readonly taskId: string
  readonly directory?: string
  readonly logFile?: string
  readonly execution?: { readonly exitCode?: number; readonly error?: string }
}

/** A task that failed, such as `//#lint:all`, with the end of its log. */
export type FailedTask = { readonly name: string; readonly end: string }

/** The end of a log is this long: most tools print their findings last. */
const LOG_LINES = 20

/**
 * The tasks that failed in the runs of turbo below `root`. The tests of `reported` folders are left
 * out: their reports say more.
 */
export function failedTasks(root: string, reported: readonly string[]): readonly FailedTask[] {
  const folder = join(root, '.turbo/runs')
  if (!existsSync(folder)) return []
  const runs = readdirSync(folder).map(
    (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Run,
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
