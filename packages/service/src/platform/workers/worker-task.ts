import { parentPort } from 'node:worker_threads'

/**
 * Makes this thread a worker of a pool. Each task runs with bounded allocations. The reply is the
 * value, or the code and the message of a FileError. Details of other errors are dropped.
 */
export function serveTasks(work: (task: Task) => Promise<unknown>): void {
  parentPort?.on('message', (task: Task) => void runTask(work, task).then(post))
  post({ kind: 'ready' })
}

const post = (response: WorkerReply): void => parentPort?.postMessage(response, [])

async function runTask(work: (task: Task) => Promise<unknown>, task: Task): Promise<WorkerReply> {
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

/** From a worker: `ready` once it has loaded, then one reply for each task. */
export type WorkerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly value: unknown }
  /** `spent`: the worker is still busy and must be stopped. */
  | {
      readonly kind: 'failed'
      readonly code: string
      readonly message: string
      readonly spent: boolean
    }

const largest = 64 * 1024 * 1024
const total = 2 * 1024 * 1024 * 1024

/**
 * Bounds the memory that this thread allocates while `work` runs. A stream of a PDF may inflate
 * without end, into doubling buffers or through `DecompressionStream`, and the heap limit of a
 * worker counts neither. Replaces both globals meanwhile, so it needs a worker with one task at a
 * time.
 *
 * Throws for an array or a stream of more than 64 MB, or 2 GB in all. Readers may catch the
 * exception, so `onRejected` is called at once, and the thread must then be stopped.
 */
async function guardAllocations<T>(work: () => Promise<T>, onRejected: () => void): Promise<T> {
  const { Uint8Array: PlainArray, DecompressionStream: PlainStream } = globalThis
  let made = 0
  let rejected = false
  const count = (bytes: number, together: number): void => {
    made += bytes
    if (together <= largest && made <= total) return
    if (!rejected) onRejected()
    rejected = true
    throw new RangeError('The thread has made more bytes than it may')
  }

  globalThis.Uint8Array = new Proxy(PlainArray, {
    construct(target, parameters: unknown[], newTarget) {
      const [length] = parameters
      if (typeof length === 'number') count(length, length)
      return Reflect.construct(target, parameters, newTarget) as Uint8Array
    },
  })
  globalThis.DecompressionStream = new Proxy(PlainStream, {
    construct(target, [format]: [CompressionFormat]) {
      const { readable, writable } = new target(format)
      return { readable: readable.pipeThrough(createByteCounter(count)), writable }
    },
  })
  try {
    return await work()
  } finally {
    globalThis.Uint8Array = PlainArray
    globalThis.DecompressionStream = PlainStream
  }
}

function createByteCounter(
  count: (bytes: number, together: number) => void,
): TransformStream<Uint8Array, Uint8Array> {
  let together = 0
  return new TransformStream({
    transform(chunk, controller) {
      together += chunk.length
      count(chunk.length, together)
      controller.enqueue(chunk)
    },
  })
}

/**
 * Why a file could not be read. This list is complete.
 *
 * - `corrupt`: its reader failed
 * - `too_complex`: over the memory limit
 * - `timeout`: over the time limit
 * - `overloaded`: no worker was free in time, or the pool is shutting down. The file was not read.
 */
export type FileErrorCode = 'corrupt' | 'too_complex' | 'timeout' | 'overloaded'

/** A file that could not be read. The message does not quote the file. */
export class FileError<Code extends string = FileErrorCode> extends Error {
  override readonly name: string = 'FileError'
  readonly code: Code

  constructor(code: Code, message: string) {
    super(message)
    this.code = code
  }
}
