import { Worker } from 'node:worker_threads'
import { builtWorker } from '../../platform/workers/built-worker.js'
import { embeddedVoice } from './embedded-voices.js'
import { SpeechError, type SpeechBackend } from './speech-backend.js'
import type { SpeechNews, SpeechOrder } from './worker-messages.js'
import { timeLimit } from '../../platform/time-limit.js'

export type EmbeddedSpeechOptions = {
  /** The compiled `speech-worker.js`. Default: the one of this package. */
  readonly workerUrl?: URL
  /** From one part of a text to the next. Default: 30,000. */
  readonly timeoutMs?: number
  /** Texts at a time, which take turns. Default: 16. */
  readonly maxTexts?: number
}

type Text = { readonly receive: (news: Exclude<SpeechNews, { kind: 'ready' }>) => void; readonly fail: (error: Error) => void }

/**
 * Speech from a local synthesizer in a worker thread, in English. Four voices stand in for those of
 * the contract. The thread starts with the first text and is replaced when it fails.
 */
export function createEmbeddedSpeech(options: EmbeddedSpeechOptions = {}): SpeechBackend {
  const { workerUrl = builtWorker(import.meta.url, 'speech-worker'), timeoutMs = timeLimit(30_000), maxTexts = 16 } = options
  const texts = new Map<number, Text>()
  let worker: Worker | undefined
  let isReady = false
  let serial = 0
  let closed = false

  const discard = (error: Error): void => {
    const gone = worker
    worker = undefined
    void gone?.terminate()
    for (const text of texts.values()) text.fail(error)
    texts.clear()
  }

  const start = (): Worker => {
    const started = new Worker(workerUrl, { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 256 } })
    isReady = false
    started.unref()
    started.on('message', (news: SpeechNews) => {
      if (news.kind === 'ready') isReady = true
      else texts.get(news.id)?.receive(news)
    })
    const failed = (error?: Error) => {
      if (worker !== started) return
      const what = isReady ? 'ended' : `at ${workerUrl.href} did not start (build the package, or pass workerUrl)`
      discard(new SpeechError('failed', `The synthesizer's worker ${what}${error ? `: ${error.message}` : ''}.`, { cause: error }))
    }
    started.on('error', failed)
    started.on('exit', () => failed())
    return started
  }

  return {
    describe: ({ voice }) => `embedded; synthesizer=flite; voice=${embeddedVoice(voice)}`,

    async *speak({ text, voice, speed, format, streaming }, signal) {
      if (closed || texts.size >= maxTexts)
        throw new SpeechError('busy', 'The synthesizer has as many texts as it can take. Try again later.')
      const thread = (worker ??= start())
      const id = ++serial
      const send = (order: SpeechOrder) => thread.postMessage(order, [])
      const news: (Parameters<Text['receive']>[0] | Error)[] = []
      let wake = () => undefined as void
      const put = (one: (typeof news)[number]) => {
        news.push(one)
        wake()
      }
      texts.set(id, { receive: put, fail: put })
      const abort = () => put({ kind: 'done', id })
      signal.addEventListener('abort', abort, { once: true })
      thread.ref()
      try {
        if (signal.aborted) return
        send({ kind: 'speak', id, options: { text, voice: embeddedVoice(voice), speed, format, streaming } })
        for (;;) {
          if (news.length === 0) {
            await new Promise<void>((resolve, reject) => {
              const late = () => {
                const error = new SpeechError('timeout', `The synthesizer gave nothing for ${timeoutMs} ms.`)
                discard(error)
                reject(error)
              }
              const timer = setTimeout(late, timeoutMs)
              wake = () => {
                clearTimeout(timer)
                resolve()
              }
            })
          }
          for (const one of news.splice(0)) {
            if (one instanceof Error) throw one
            if (one.kind === 'failed') throw new SpeechError('failed', one.message)
            if (one.kind === 'done') return
            yield one.bytes
          }
        }
      } finally {
        signal.removeEventListener('abort', abort)
        if (texts.delete(id)) send({ kind: 'cancel', id })
        if (texts.size === 0) thread.unref()
      }
    },

    ready: async () => {
      if (closed) throw new SpeechError('busy', 'The service is shutting down.')
      const thread = (worker ??= start())
      if (isReady) return
      await new Promise<void>((resolve, reject) => {
        const failed = () => reject(new SpeechError('failed', "The synthesizer's worker did not start."))
        thread.once('message', () => resolve())
        thread.once('error', failed)
        thread.once('exit', failed)
      })
    },

    close: async () => {
      closed = true
      const running = worker
      discard(new SpeechError('busy', 'The service is shutting down.'))
      await running?.terminate()
    },
  }
}
