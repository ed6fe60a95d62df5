import { watch as watchFolder } from 'node:fs'
import { dirname, resolve } from 'node:path'

export type WatchOptions = {
  /** Ends the watch. */
  readonly signal: AbortSignal
  /** Milliseconds of silence before a change counts: editors write in steps. Default: 100. */
  readonly quietMs?: number
}

/**
 * Runs a task whenever a file in the folder of `entry` changes, never twice at a time: changes
 * during a run lead to one more run. Resolves when the signal aborts and the last run has ended.
 * The task reports its own faults and must not throw.
 */
export async function watch(entry: string, run: () => Promise<void>, { signal, quietMs = 100 }: WatchOptions): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const schedule = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(run)
    }, quietMs)
  }
  const watcher = watchFolder(dirname(resolve(entry)), { recursive: true }, schedule)
  await new Promise<void>((done, fail) => {
    watcher.on('error', fail)
    signal.addEventListener('abort', () => done(), { once: true })
    if (signal.aborted) done()
  }).finally(() => {
    clearTimeout(timer)
    watcher.close()
  })
  await running
}
