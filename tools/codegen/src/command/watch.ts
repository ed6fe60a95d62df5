import { existsSync, watch as watchFolder } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { UsageError } from '@farebox/command-line'
import type { Io } from './io.js'
import type { Job, Plan } from './plan.js'

type WatchPlanOptions = {
  /** Reads the configuration again. */
  readonly read: () => Promise<Plan>
  readonly run: (jobs: readonly Job[]) => Promise<void>
  /** The files that the last run of a job depended on. */
  readonly listFiles: (job: Job) => readonly string[]
}

/**
 * Generates a document again when one of its files changes, and when the configuration changes,
 * those whose settings changed. An invalid configuration leaves the last one in force.
 */
export async function watchPlan(
  first: Plan,
  { read, run, listFiles }: WatchPlanOptions,
  { error, signal }: Io,
): Promise<void> {
  let plan = first
  const selectJobs = async (changed: ReadonlySet<string>): Promise<readonly Job[]> => {
    const before = new Set(plan.jobs.map(({ key }) => key))
    const isNew = plan.files.some((file) => changed.has(file))
    if (isNew) plan = await read()
    return plan.jobs.filter(
      (job) =>
        !before.has(job.key) ||
        (isNew && job.hasPlugins) ||
        listFiles(job).some((file) => changed.has(file)),
    )
  }
  await watch(
    () => [...plan.files, ...plan.jobs.flatMap(listFiles)],
    async (changed) => {
      try {
        await run(await selectJobs(changed))
      } catch (problem) {
        if (!(problem instanceof UsageError)) throw problem
        error(`${problem.message} Still watching with the previous configuration.`)
      }
    },
    { signal },
  )
}

type WatchOptions = {
  /** Ends the watch. */
  readonly signal: AbortSignal
  /** Milliseconds of silence before a change counts: editors write in steps. Default: 100. */
  readonly quietMs?: number
}

/**
 * Runs a task with the files that have changed, never twice at a time: changes during a run lead to
 * one more run. `listFiles` returns the files to watch and is called again after each run; a file
 * that does not exist counts when it appears. Resolves when the signal aborts and the last run has
 * ended. The task must not throw.
 */
async function watch(
  listFiles: () => readonly string[],
  run: (changed: ReadonlySet<string>) => Promise<void>,
  { signal, quietMs = 100 }: WatchOptions,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let queue: Promise<void> = Promise.resolve()
  let changed = new Set<string>()
  let fail: (error: Error) => void = () => undefined
  const watchers = new Map<string, FSWatcher>()
  const runOnce = async (): Promise<void> => {
    const batch = changed
    changed = new Set()
    watchFolders()
    await run(batch)
    if (!signal.aborted) watchFolders()
  }
  const onChange = (folder: string, name: string | null): void => {
    const isGone = name === basename(folder) && !existsSync(join(folder, name))
    if (isGone) {
      // another folder of this name needs another watcher
      watchers.get(folder)?.close()
      watchers.delete(folder)
    }
    const path = name === null || isGone ? folder : join(folder, name)
    // a folder that appears may hold one of the files
    const affected = listFiles().filter((file) => file === path || file.startsWith(join(path, '/')))
    if (affected.length === 0) return
    for (const file of affected) changed.add(file)
    clearTimeout(timer)
    timer = setTimeout(() => {
      queue = queue.then(runOnce)
    }, quietMs)
  }
  /** Watches the folders that hold the files, and no others. */
  const watchFolders = (): void => {
    const folders = new Set(listFiles().map(findNearestFolder))
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue
      watcher.close()
      watchers.delete(folder)
    }
    for (const folder of folders) {
      if (watchers.has(folder)) continue
      const watcher = watchFolder(folder, (_event, name) => onChange(folder, name))
      watcher.on('error', (error) => fail(error))
      watchers.set(folder, watcher)
    }
  }
  watchFolders()
  await new Promise<void>((done, reject) => {
    fail = reject
    signal.addEventListener('abort', () => done(), { once: true })
    if (signal.aborted) done()
  }).finally(() => {
    clearTimeout(timer)
    for (const watcher of watchers.values()) watcher.close()
  })
  await queue
}

/** The innermost folder around a file that exists. */
function findNearestFolder(file: string): string {
  let folder = dirname(file)
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}
