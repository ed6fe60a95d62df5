import { UsageError } from '@farebox/command-line'
import type { Io } from './io.js'
import type { Job } from './job.js'
import type { Plan } from './plan.js'
import { watch } from './watch.js'

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
