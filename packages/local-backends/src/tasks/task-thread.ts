import { Worker } from 'node:worker_threads'
import { LocalBackendError } from '../local-backend-error.js'
import type { Card } from './draw-card.js'
import type { Sound } from './find-sounds.js'

/** Work for the thread. It may take long or never end, and must not block the process. */
export type Task =
  /** A value for a JSON Schema, which the field of a request has. */
  | {
      readonly kind: 'sample'
      readonly schema: unknown
      readonly seed: number
      readonly field: string
    }
  | { readonly kind: 'draw'; readonly card: Card }
  | { readonly kind: 'listen'; readonly audio: Uint8Array; readonly format: string }

export type TaskResults = {
  readonly sample: string
  /** A PNG file. */
  readonly draw: Uint8Array
  readonly listen: readonly Sound[]
}

/** From the thread, for each task: `begun`, and then its end. */
export type TaskNews =
  /** What the task needs is loaded. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'done'; readonly result: TaskResults[keyof TaskResults] }
  /** The request is at fault. */
  | { readonly kind: 'rejected'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

/**
 * A thread for work that would block the process: one task at a time. Callers take turns. It starts
 * with the first task and is replaced when it fails.
 */
export type TaskThread = {
  /** Rejects with a LocalBackendError, also when the signal aborts. */
  readonly run: <Kind extends Task['kind']>(
    caller: string,
    task: Extract<Task, { kind: Kind }>,
    signal: AbortSignal,
  ) => Promise<TaskResults[Kind]>
  readonly load: () => { readonly busy: number; readonly waiting: number }
  readonly close: () => Promise<void>
}

export type TaskThreadOptions = {
  /** The compiled `task-worker.js`. Default: the one of this package. */
  readonly workerUrl?: URL
  /** How many times slower than usual this machine is. Default: 1. */
  readonly timeoutScale?: number
  /** The maximum number of waiting tasks. Default: 64. */
  readonly maxWaiting?: number
}

type Turn = {
  readonly caller: string
  readonly task: Task
  readonly resolve: (result: TaskResults[Task['kind']]) => void
  readonly reject: (error: Error) => void
}

/**
 * Of processor time for each kind of task, without the time in which a thread starts and loads what
 * it needs.
 */
const timeoutsMs = { sample: 2_000, draw: 20_000, listen: 120_000 } as const
const loadMs = 30_000

/** A thread cannot run TypeScript, so a module in `src` uses the file that the build wrote. */
const builtWorker = new URL(
  './task-worker.js',
  import.meta.url.replace(/\/src\/(?=tasks\/[^/]+\.ts$)/, '/dist/'),
)

export function createTaskThread(options: TaskThreadOptions = {}): TaskThread {
  const { workerUrl = builtWorker, timeoutScale = 1, maxWaiting = 64 } = options
  /** When each caller who waits was last served, in turns. */
  const served = new Map<string, number>()
  let waiting: Turn[] = []
  let running: (Turn & { timer: NodeJS.Timeout }) | undefined
  let worker: Worker | undefined
  let turns = 0
  let isClosed = false

  const start = (): Worker => {
    const started = new Worker(workerUrl, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    })
    started.unref()
    started.on('message', (news: TaskNews) => {
      if (worker !== started) return
      if (news.kind === 'begun') return limit()
      const turn = finish()
      if (news.kind === 'done') turn?.resolve(news.result)
      else turn?.reject(new LocalBackendError(news.kind, news.message))
      next()
    })
    const handleFailure = (error?: Error) => {
      if (worker !== started) return
      worker = undefined
      const message = `The thread of the test models ended${error ? `: ${error.message}` : ''}.`
      finish()?.reject(new LocalBackendError('failed', message, { cause: error }))
      next()
    }
    started.on('error', handleFailure)
    started.on('exit', () => handleFailure())
    return started
  }

  const finish = (): Turn | undefined => {
    const finished = running
    clearTimeout(finished?.timer)
    running = undefined
    worker?.unref()
    return finished
  }

  /** Ends the running task and its thread. */
  const replace = (error: LocalBackendError): void => {
    const oldWorker = worker
    worker = undefined
    finish()?.reject(error)
    void oldWorker?.terminate()
    next()
  }

  /**
   * Limits the time of the running task, which has begun. While other programs use the processor,
   * it has up to ten times as long.
   */
  const limit = (): void => {
    if (!running) return
    const { task, timer } = running
    const ms = timeoutsMs[task.kind] * timeoutScale
    const latest = performance.now() + 10 * ms
    const usage = process.cpuUsage()
    const late = () =>
      replace(
        task.kind === 'sample'
          ? new LocalBackendError('rejected', `${task.field}: the JSON Schema is too complex.`)
          : new LocalBackendError('timeout', `The test model did not respond within ${ms} ms.`),
      )
    const check = () => {
      const { user, system } = process.cpuUsage(usage)
      const leftMs = Math.min(ms - (user + system) / 1_000, latest - performance.now())
      if (leftMs <= 1) late()
      else if (running) running.timer = setTimeout(check, leftMs)
    }
    clearTimeout(timer)
    running.timer = setTimeout(check, ms)
  }

  const next = (): void => {
    if (running) return
    const [turn] = waiting.toSorted(
      (one, other) => (served.get(one.caller) ?? 0) - (served.get(other.caller) ?? 0),
    )
    if (!turn) return served.clear()
    waiting = waiting.filter((one) => one !== turn)
    served.set(turn.caller, ++turns)
    const late = () => replace(new LocalBackendError('timeout', 'The test models did not start.'))
    const thread = (worker ??= start())
    running = { ...turn, timer: setTimeout(late, loadMs * timeoutScale) }
    thread.ref()
    thread.postMessage(turn.task, [])
  }

  const run: TaskThread['run'] = (caller, task, signal) =>
    new Promise((resolve, reject) => {
      if (isClosed)
        return reject(new LocalBackendError('busy', 'The test models are shutting down.'))
      if (waiting.length >= maxWaiting)
        return reject(
          new LocalBackendError('busy', 'The test models have too much work. Try again later.', {
            retryAfterSeconds: 5,
          }),
        )
      if (signal.aborted) return reject(createAbortError())
      const leave = () => {
        if (running?.task === task) return replace(createAbortError())
        waiting = waiting.filter((turn) => turn.task !== task)
        reject(createAbortError())
      }
      signal.addEventListener('abort', leave, { once: true })
      const ended = () => signal.removeEventListener('abort', leave)
      waiting.push({
        caller,
        task,
        // the thread gives the result of the kind that it was asked for
        resolve: (result) => (ended(), resolve(result as never)),
        reject: (error) => (ended(), reject(error)),
      })
      next()
    })

  return {
    run,
    load: () => ({ busy: running ? 1 : 0, waiting: waiting.length }),
    close: async () => {
      isClosed = true
      const rest = waiting
      waiting = []
      const oldWorker = worker
      const error = new LocalBackendError('busy', 'The test models are shutting down.')
      for (const turn of rest) turn.reject(error)
      replace(error)
      await oldWorker?.terminate()
    },
  }
}

function createAbortError(): LocalBackendError {
  return new LocalBackendError('unread', 'The caller has left.')
}
