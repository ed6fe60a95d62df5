import { parentPort } from 'node:worker_threads'
import { guardAllocations } from './allocation-guard.js'
import { FileError } from './file-error.js'

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
    const { code, message } =
      error instanceof FileError ? (error as FileError<string>) : unknownFault
    return { kind: 'failed', code, message, spent: false }
  }
}

const inflated = 'A part of the file inflates to more memory than is allowed, as archive bombs do.'
const unknownFault = {
  code: 'corrupt',
  message: 'The file could not be read: its reader failed on it.',
} as const

/** From the pool to a worker, one at a time. */
export type Task = { readonly bytes: Uint8Array }

/** From a worker: `ready` once it has loaded, then one answer for each task. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly value: unknown }
  /** `spent`: the worker is still busy and must be stopped. */
  | {
      readonly kind: 'failed'
      readonly code: string
      readonly message: string
      readonly spent: boolean
    }
