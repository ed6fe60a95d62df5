import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { timeLimit } from '../time-limit.js'
import { builtWorker } from '../workers/built-worker.js'
import { LateError, within } from '../within.js'
import { StorageError } from './storage-error.js'

/**
 * Resolves once the disk below a data folder answers. Rejects with a StorageError after `ms`.
 *
 * Another process asks: Node cannot exit while one of its own file calls waits, so that a service
 * on a dead network share would neither serve nor end.
 */
export async function folderAnswers(folder: string, ms = timeLimit(10_000)): Promise<void> {
  const child = spawn(process.execPath, [fileURLToPath(builtWorker(import.meta.url, 'read-folder')), folder], { stdio: 'ignore' })
  try {
    await within(ms, () => once(child, 'exit'))
  } catch (error) {
    if (!(error instanceof LateError)) throw error
    child.kill('SIGKILL')
    child.unref()
    throw new StorageError(
      `The data folder ${folder} does not answer: its disk gave nothing for ${Math.ceil(ms / 1000)} s. Check the disk or the network share, or give another folder with --data.`,
    )
  }
}
