import { parentPort } from 'node:worker_threads'
import { guardAllocations } from './allocation-guard.js'
import { FileError } from './file-error.js'
import type { Answer, Task } from './messages.js'

/**
 * Makes this thread a worker of a pool. Each task runs with bounded allocations. Its answer is the
 * value, or the code and the message of a FileError. Details of other errors are dropped.
 */
export function serveTasks(work: (task: Task) => Promise<unknown>): void {
  parentPort?.on('message', (task: Task) => void answer(work, task).then(post))
  post({ kind: 'ready' })
}

const post = (answer: Answer): void => parentPort?.postMessage(answer, [])

async function answer(work: (task: Task) => Promise<unknown>, task: Task): Promise<Answer> {
  try {
    const value = await guardAllocations(
      () => work(task),
      () => post({ kind: 'failed', code: 'too_complex', message: inflated, spent: true }),
    )
    return { kind: 'done', value }
  } catch (error) {
    const { code, message } = error instanceof FileError ? (error as FileError<string>) : unknownFault
    return { kind: 'failed', code, message, spent: false }
  }
}

const inflated = 'A part of the file inflates to more memory than is allowed, as archive bombs do.'
const unknownFault = { code: 'corrupt', message: 'The file could not be read: its reader failed on it.' } as const
