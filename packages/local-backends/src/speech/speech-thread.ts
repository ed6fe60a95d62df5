import { Worker } from 'node:worker_threads'
import { LocalBackendError } from '../local-backend-error.js'
import type { SpeakOptions } from './speak.js'

/** To the thread of the synthesizer, which makes one sentence at a time. */
export type SpeechOrder =
  /** The next sentence of a text. The first order for a text has its `options`. */
  | { readonly kind: 'next'; readonly id: number; readonly options?: SpeakOptions }
  /** Cancels an unfinished text. */
  | { readonly kind: 'drop'; readonly id: number }

/** From the thread: `ready` once it has loaded, then one reply for each sentence. */
export type SpeechNews =
  | { readonly kind: 'ready' }
  | { readonly kind: 'made'; readonly bytes: Uint8Array; readonly isLast: boolean }
  | { readonly kind: 'failed'; readonly message: string }

export type SpeechChunk = Pick<Extract<SpeechNews, { kind: 'made' }>, 'bytes' | 'isLast'>

/** The thread of the synthesizer. It starts with the first order, and is replaced when it fails. */
export type SpeechThread = {
  /**
   * Makes the next sentence of a text, whose first order has the options. One order at a time.
   * Rejects with a LocalBackendError. A text that was begun before the thread was replaced has
   * failed.
   */
  readonly next: (id: number, options?: SpeakOptions) => Promise<SpeechChunk>
  /** Forgets an unfinished text, between two orders for it. */
  readonly drop: (id: number) => void
  /** Rejects when the thread does not start. */
  readonly ready: () => Promise<void>
  readonly close: () => Promise<void>
}

export type SpeechThreadOptions = {
  /** The compiled `speech-worker.js`. Default: the one of this package. */
  readonly workerUrl?: URL
  /** For one sentence. Default: 30,000. */
  readonly timeoutMs?: number
}

type Order = {
  readonly resolve: (chunk: SpeechChunk) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

/** A thread cannot run TypeScript, so a module in `src` uses the file that the build wrote. */
const builtWorker = new URL(
  './speech-worker.js',
  import.meta.url.replace(/\/src\/(?=speech\/[^/]+\.ts$)/, '/dist/'),
)

export function createSpeechThread(options: SpeechThreadOptions = {}): SpeechThread {
  const { workerUrl = builtWorker, timeoutMs = 30_000 } = options
  let worker: Worker | undefined
  let isReady = false
  let order: Order | undefined

  const finish = (): Order | undefined => {
    const finished = order
    order = undefined
    clearTimeout(finished?.timer)
    worker?.unref()
    return finished
  }

  const discard = (error: Error): void => {
    const finished = finish()
    const oldWorker = worker
    worker = undefined
    void oldWorker?.terminate()
    finished?.reject(error)
  }

  const start = (): Worker => {
    const started = new Worker(workerUrl, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    isReady = false
    started.unref()
    started.on('message', (news: SpeechNews) => {
      if (worker !== started) return
      if (news.kind === 'ready') isReady = true
      else if (news.kind === 'made') finish()?.resolve(news)
      else finish()?.reject(new LocalBackendError('failed', news.message))
    })
    const failed = (error?: Error) => {
      if (worker !== started) return
      const what = isReady
        ? 'ended'
        : `at ${workerUrl.href} did not start (build the package, or pass workerUrl)`
      discard(
        new LocalBackendError(
          'failed',
          `The synthesizer's worker ${what}${error ? `: ${error.message}` : ''}.`,
          { cause: error },
        ),
      )
    }
    started.on('error', failed)
    started.on('exit', () => failed())
    return started
  }

  const send = (thread: Worker, message: SpeechOrder): void => thread.postMessage(message, [])

  return {
    next: (id, begin) =>
      new Promise((resolve, reject) => {
        const thread = (worker ??= start())
        const late = () =>
          discard(
            new LocalBackendError(
              'timeout',
              `The synthesizer did not respond within ${timeoutMs} ms.`,
            ),
          )
        order = { resolve, reject, timer: setTimeout(late, timeoutMs) }
        thread.ref()
        send(thread, { kind: 'next', id, ...(begin && { options: begin }) })
      }),

    drop: (id) => worker && send(worker, { kind: 'drop', id }),

    ready: async () => {
      const thread = (worker ??= start())
      if (isReady) return
      await new Promise<void>((resolve, reject) => {
        const failed = () =>
          reject(new LocalBackendError('failed', "The synthesizer's worker did not start."))
        thread.once('message', () => resolve())
        thread.once('error', failed)
        thread.once('exit', failed)
      })
    },

    close: async () => {
      const running = worker
      discard(new LocalBackendError('busy', 'The synthesizer is shutting down.'))
      await running?.terminate()
    },
  }
}
