import { Worker } from 'node:worker_threads'
import { readErrorCode } from '../unknown-value.js'
import { runInSpan } from '../telemetry/spans.js'
import { timeLimit } from '../time.js'
import type { FileErrorCode, WorkerReply, Task } from './worker-task.js'

type WorkerPoolOptions<Code extends string> = {
  /** For messages, such as `text parser`. */
  readonly name: string
  /** A module that calls `serveTasks`. */
  readonly workerUrl: URL
  /** For one task: its wait for a worker, and then its work. */
  readonly timeoutMs: number
  /** The JavaScript heap of one worker. */
  readonly maxHeapMb: number
  /** Workers. One caller never has all of several. */
  readonly size: number
  /** Bytes of waiting tasks. */
  readonly maxQueueBytes: number
  /** Waiting tasks. */
  readonly maxQueue: number
  /** Creates the error of a failed task. */
  readonly failure: (code: Code | FileErrorCode, message: string) => Error
}

export type WorkerPool<T extends Task, Result> = {
  /**
   * The result of a task. An array that spans its whole buffer is moved to the worker and is empty
   * afterwards. Rejects with the pool's `failure`, or with a plain Error when no worker starts.
   */
  readonly run: (task: T, caller: string) => Promise<Result>
  readonly load: () => WorkerLoad
  /** Resolves once a worker is ready. Rejects when none starts. */
  readonly ready: () => Promise<void>
  /** Stops the workers. Running and waiting tasks reject as `overloaded`. */
  readonly close: () => Promise<void>
}

/** The tasks at workers, and those that wait for one. */
export type WorkerLoad = { readonly busy: number; readonly waiting: number }

type Job<T, Result> = {
  readonly task: T
  readonly caller: string
  readonly bytes: number
  readonly resolve: (result: Result) => void
  readonly reject: (error: Error) => void
  timer?: NodeJS.Timeout
}

type Slot<T, Result> = {
  readonly worker: Worker
  ready: boolean
  job: Job<T, Result> | undefined
  readonly starting: NodeJS.Timeout
}

/** For a worker to load its module, on a busy machine. */
const startMs = 60_000

/**
 * A pool of worker threads that read untrusted bytes. Workers start with the first task, and idle
 * ones do not keep the process alive. A worker that takes too long, runs out of memory or crashes
 * is stopped, and only its task rejects. Callers take turns. Workers see no environment variables.
 */
export function createWorkerPool<T extends Task, Result, Code extends string = FileErrorCode>(
  options: WorkerPoolOptions<Code>,
): WorkerPool<T, Result> {
  const { name, workerUrl, timeoutMs, maxHeapMb, size, maxQueueBytes, maxQueue, failure } = options
  const { overloaded, closing, tookTooLong, crashed, notStarted } = createErrors(options)
  const slots = new Set<Slot<T, Result>>()
  const queue = createFairQueue<Job<T, Result>>({ bytes: maxQueueBytes, items: maxQueue })
  let closed = false

  const finish = (slot: Slot<T, Result>): Job<T, Result> | undefined => {
    const job = slot.job
    slot.job = undefined
    clearTimeout(job?.timer)
    slot.worker.unref()
    return job
  }

  const discard = (slot: Slot<T, Result>, error: Error): void => {
    if (!slots.delete(slot)) return
    clearTimeout(slot.starting)
    finish(slot)?.reject(error)
    void slot.worker.terminate()
    next()
  }

  const limit = (slot: Slot<T, Result>): void => {
    if (slot.job) slot.job.timer = setTimeout(() => discard(slot, tookTooLong()), timeoutMs)
  }

  const start = (): Slot<T, Result> => {
    const worker = new Worker(workerUrl, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, stackSizeMb: 4 },
    })
    const starting = setTimeout(() => discard(slot, notStarted()), timeLimit(startMs))
    starting.unref()
    const slot: Slot<T, Result> = { worker, ready: false, job: undefined, starting }
    slots.add(slot)
    worker.on('message', (response: WorkerReply) => {
      if (response.kind === 'ready') {
        slot.ready = true
        clearTimeout(starting)
        limit(slot)
        return
      }
      if (response.kind === 'failed' && response.spent) {
        discard(slot, failure(response.code as Code, response.message))
        return
      }
      const job = finish(slot)
      if (response.kind === 'done') job?.resolve(response.value as Result)
      else job?.reject(failure(response.code as Code, response.message))
      next()
    })
    // an error may overtake the message that the worker is ready, and its exit does not
    let fault: Error | undefined
    worker.on('error', (error: Error) => (fault = error))
    worker.on('exit', () => discard(slot, slot.ready ? crashed(fault) : notStarted(fault)))
    return slot
  }

  /** One caller never has all of several workers. */
  const mayRun = (caller: string): boolean => {
    let running = 0
    for (const { job } of slots) if (job?.caller === caller) running++
    return running < Math.max(1, size - 1)
  }

  const next = (): void => {
    for (;;) {
      let slot: Slot<T, Result> | undefined
      for (const one of slots) if (one.job === undefined) slot ??= one
      const isFull = slot === undefined && slots.size >= size
      const job = closed || isFull ? undefined : queue.take(mayRun)
      if (job === undefined) return
      slot ??= start()
      clearTimeout(job.timer)
      slot.job = job
      if (slot.ready) limit(slot)
      slot.worker.ref()
      const { task } = job
      // only a whole buffer can be moved to another thread
      const isWhole = task.bytes.buffer.byteLength === task.bytes.byteLength
      const bytes = isWhole ? task.bytes : new Uint8Array(task.bytes)
      slot.worker.postMessage({ ...task, bytes }, [bytes.buffer as ArrayBuffer])
    }
  }

  const leave = (job: Job<T, Result>): void => {
    queue.remove(job)
    job.reject(overloaded('had no free worker in time'))
  }

  return {
    run: (task, caller) =>
      runInSpan(
        { name: `worker ${name}` },
        () =>
          new Promise((resolve, reject) => {
            const job: Job<T, Result> = { task, caller, bytes: task.bytes.length, resolve, reject }
            if (closed || !queue.add(job)) {
              reject(closed ? closing() : overloaded('has too many files waiting'))
              return
            }
            job.timer = setTimeout(() => leave(job), timeoutMs)
            next()
          }),
      ),

    load: () => ({
      busy: [...slots].filter(({ job }) => job !== undefined).length,
      waiting: queue.size(),
    }),

    ready: async () => {
      if (closed) throw closing()
      const slot = [...slots].find(({ ready }) => ready) ?? [...slots][0] ?? start()
      if (slot.ready) return
      await new Promise<void>((resolve, reject) => {
        let fault: Error | undefined
        slot.worker.once('message', () => resolve())
        slot.worker.once('error', (error: Error) => (fault = error))
        slot.worker.once('exit', () => reject(notStarted(fault)))
      })
      if (slot.job === undefined) slot.worker.unref()
    },

    close: async () => {
      closed = true
      for (const job of queue.clear()) {
        clearTimeout(job.timer)
        job.reject(closing())
      }
      const stopped = [...slots].map((slot) => {
        slots.delete(slot)
        clearTimeout(slot.starting)
        finish(slot)?.reject(closing())
        return slot.worker.terminate()
      })
      await Promise.all(stopped)
    },
  }
}

/** The errors of tasks, and of workers that do not start. */
function createErrors<Code extends string>({
  name,
  workerUrl,
  timeoutMs,
  failure,
}: WorkerPoolOptions<Code>) {
  const overloaded = (why: string) =>
    failure('overloaded', `The ${name} ${why}; the file was not read. Send it again later.`)
  return {
    overloaded,
    closing: () => overloaded('is shutting down'),
    tookTooLong: () =>
      failure(
        'timeout',
        `The file was not read within ${timeoutMs} ms. Send a smaller or simpler one.`,
      ),
    crashed: (error?: Error) =>
      readErrorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY'
        ? failure(
            'too_complex',
            'The file needs more memory to read than is allowed. Send a smaller or simpler one.',
          )
        : failure('corrupt', 'The file could not be read: its reader failed on it.'),
    notStarted: (error?: Error) => {
      const found = error === undefined ? 'it ended before it was ready' : error.message
      return new Error(
        `The ${name}'s worker ${workerUrl.href} did not start: ${found}. Build the package, or pass workerUrl.`,
      )
    },
  }
}

type Waiting = { readonly caller: string; readonly bytes: number }

/** A bounded queue in which callers take turns. */
type FairQueue<T extends Waiting> = {
  /** False when the queue is full. */
  readonly add: (item: T) => boolean
  /** Takes the oldest item of the caller with the earliest last turn, among those that `mayRun`. */
  readonly take: (mayRun: (caller: string) => boolean) => T | undefined
  readonly remove: (item: T) => void
  readonly size: () => number
  readonly clear: () => readonly T[]
}

type FairQueueLimits = {
  /** Bytes of all items together. */
  readonly bytes: number
  readonly items: number
}

/** Callers whose last turn is remembered. */
const remembered = 10_000

/** One caller gets at most half of the limits, but can always add a first item. */
function createFairQueue<T extends Waiting>(most: FairQueueLimits): FairQueue<T> {
  const items = new Set<T>()
  /** The last turn of each caller, in order. */
  const turns = new Map<string, number>()
  let serial = 0

  const fits = (waiting: readonly T[], added: T, share: number) =>
    waiting.length < most.items * share &&
    waiting.reduce((sum, { bytes }) => sum + bytes, added.bytes) <= most.bytes * share

  return {
    add: (item) => {
      const all = [...items]
      const own = all.filter(({ caller }) => caller === item.caller)
      if (!fits(all, item, 1) || (own.length > 0 && !fits(own, item, 0.5))) return false
      items.add(item)
      return true
    },

    take: (mayRun) => {
      let next: T | undefined
      let earliest = Infinity
      for (const item of items) {
        const turn = turns.get(item.caller) ?? 0
        if (turn >= earliest || !mayRun(item.caller)) continue
        next = item
        earliest = turn
      }
      if (next === undefined) return undefined
      items.delete(next)
      turns.delete(next.caller)
      turns.set(next.caller, ++serial)
      const [oldest] = turns.keys()
      if (turns.size > remembered && oldest !== undefined) turns.delete(oldest)
      return next
    },

    remove: (item) => void items.delete(item),

    size: () => items.size,

    clear: () => {
      const all = [...items]
      items.clear()
      return all
    },
  }
}

/**
 * The URL of the compiled worker file beside the module at `moduleUrl`. A thread cannot run
 * TypeScript, so a module that runs from `src` gets the file that the build wrote into `dist`.
 */
export function findBuiltWorker(moduleUrl: string, name: string): URL {
  return new URL(
    `./${name}.js`,
    moduleUrl.endsWith('.ts') ? moduleUrl.replace('/service/src/', '/service/dist/') : moduleUrl,
  )
}
