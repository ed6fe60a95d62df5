import { UsageError } from '@farebox/command-line'
import type { Io } from './io.js'
import type { Job, Plan } from './plan.js'
import { existsSync, watch as watchFolder } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { dirname, join } from 'node:path'

export type WatchPlanOptions = {
  /** Reads the configuration anew. */
  readonly read: () => Promise<Plan>
  readonly run: (jobs: readonly Job[]) => Promise<void>
  /** The files that the last run of a job depended on. */
  readonly filesOf: (job: Job) => readonly string[]
}

/**
 * Generates a document again after a change of one of its files. After a change of the
 * configuration, generates those whose settings changed. A configuration with a fault leaves the
 * last one in force.
 */
export async function watchPlan(first: Plan, { read, run, filesOf }: WatchPlanOptions, { error, signal }: Io): Promise<void> {
  let plan = first
  const concerned = async (changed: ReadonlySet<string>): Promise<readonly Job[]> => {
    const before = new Set(plan.jobs.map(({ key }) => key))
    const isNew = plan.files.some((file) => changed.has(file))
    if (isNew) plan = await read()
    return plan.jobs.filter((job) => !before.has(job.key) || (isNew && job.hasPlugins) || filesOf(job).some((file) => changed.has(file)))
  }
  await watch(
    () => [...plan.files, ...plan.jobs.flatMap(filesOf)],
    async (changed) => {
      try {
        await run(await concerned(changed))
      } catch (fault) {
        if (!(fault instanceof UsageError)) throw fault
        error(`${fault.message} Watching goes on with what was read before.`)
      }
    },
    { signal },
  )
}

export type WatchOptions = {
  /** Ends the watch. */
  readonly signal: AbortSignal
  /** Milliseconds of silence before a change counts: editors write in steps. Default: 100. */
  readonly quietMs?: number
}

/**
 * Runs a task with the files that have changed, never twice at a time: changes during a run lead to
 * one more run. `files` says which files count, and is asked again after each run; one that does
 * not exist counts when it appears. Resolves when the signal aborts and the last run has ended. The
 * task reports its own faults and must not throw.
 */
export async function watch(
  files: () => readonly string[],
  run: (changed: ReadonlySet<string>) => Promise<void>,
  { signal, quietMs = 100 }: WatchOptions,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let changed = new Set<string>()
  let fail: (error: Error) => void = () => undefined
  const watchers = new Map<string, FSWatcher>()
  const turn = async (): Promise<void> => {
    const now = changed
    changed = new Set()
    follow()
    await run(now)
    if (!signal.aborted) follow()
  }
  const note = (folder: string, name: string | null): void => {
    const path = name === null ? folder : join(folder, name)
    // a folder that appears may hold such a file
    const meant = files().filter((file) => file === path || file.startsWith(join(path, '/')))
    if (meant.length === 0) return
    for (const file of meant) changed.add(file)
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(turn)
    }, quietMs)
  }
  /** Watches the folders that hold the files, and no other. */
  const follow = (): void => {
    const folders = new Set(files().map(folderThatExists))
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue
      watcher.close()
      watchers.delete(folder)
    }
    for (const folder of folders) {
      if (watchers.has(folder)) continue
      const watcher = watchFolder(folder, (_event, name) => note(folder, name))
      watcher.on('error', (error) => fail(error))
      watchers.set(folder, watcher)
    }
  }
  follow()
  await new Promise<void>((done, reject) => {
    fail = reject
    signal.addEventListener('abort', () => done(), { once: true })
    if (signal.aborted) done()
  }).finally(() => {
    clearTimeout(timer)
    for (const watcher of watchers.values()) watcher.close()
  })
  await running
}

function folderThatExists(file: string): string {
  let folder = dirname(file)
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}
