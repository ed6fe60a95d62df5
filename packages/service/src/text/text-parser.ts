import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { TextParseError } from './text-parse-error.js'
import type { ParseAnswer, ParseRequest } from './worker-messages.js'

export type ParsedText = {
  readonly text: string
  /** Tokens of `text` in the o200k_base encoding. */
  readonly tokens: number
}

export type TextParserOptions = {
  /** The compiled `parse-worker.js`; default: the one of this package. */
  readonly workerUrl?: URL
  /** For one file, from the moment a worker has it, and for the wait before that; default 20,000. */
  readonly timeoutMs?: number
  /** JavaScript heap of one worker; default 512. */
  readonly maxHeapMb?: number
  /** Workers; default 2, or 1 on a machine with fewer than three cores. */
  readonly size?: number
  /** Files that wait for a worker; default 16. */
  readonly maxQueue?: number
}

export type TextParser = {
  /**
   * The text of a file and its tokens. The bytes are handed over: an array that spans its whole buffer is moved to the
   * worker and is empty afterwards. Rejects with `TextParseError` for whatever the file is at fault for, and with a
   * plain `Error` when the worker cannot be started at all.
   */
  parse(bytes: Uint8Array): Promise<ParsedText>
  /** Resolves once a worker is there to take a file; rejects when none can be started. Without it the parser is always ready. */
  ready?(): Promise<void>
  /** Stops the workers; what is under way or waiting rejects as `overloaded`. */
  close(): Promise<void>
}

type Job = {
  readonly bytes: Uint8Array
  readonly resolve: (parsed: ParsedText) => void
  readonly reject: (error: Error) => void
  timer: NodeJS.Timeout
}

type Slot = { readonly worker: Worker; ready: boolean; job: Job | undefined }

/**
 * A small pool of worker threads that extract text. Workers start with the first file; idle ones do not keep the
 * process alive. A worker that takes too long, runs out of memory or crashes is stopped, and only the file that it had
 * is rejected. Workers see no environment variables.
 */
export function createTextParser(options: TextParserOptions = {}): TextParser {
  const { timeoutMs = 20_000, maxHeapMb = 512, size = availableParallelism() > 2 ? 2 : 1, maxQueue = 16 } = options
  const workerUrl = options.workerUrl ?? builtWorker
  const slots = new Set<Slot>()
  const queue: Job[] = []
  let closed = false

  const finish = (slot: Slot): Job | undefined => {
    const job = slot.job
    slot.job = undefined
    clearTimeout(job?.timer)
    slot.worker.unref()
    return job
  }

  const discard = (slot: Slot, error: Error): void => {
    if (!slots.delete(slot)) return
    finish(slot)?.reject(error)
    void slot.worker.terminate()
    next()
  }

  const start = (): Slot => {
    const worker = new Worker(workerUrl, { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, stackSizeMb: 4 } })
    const slot: Slot = { worker, ready: false, job: undefined }
    slots.add(slot)
    worker.on('message', (answer: ParseAnswer) => {
      if (answer.kind === 'ready') {
        slot.ready = true
        return
      }
      if (answer.kind === 'failed' && answer.spent) {
        discard(slot, new TextParseError(answer.code, answer.message))
        return
      }
      const job = finish(slot)
      if (answer.kind === 'parsed') job?.resolve({ text: answer.text, tokens: answer.tokens })
      else job?.reject(new TextParseError(answer.code, answer.message))
      next()
    })
    worker.on('error', (error) => discard(slot, slot.ready ? crashed(error) : notStarted(workerUrl, error)))
    worker.on('exit', () => discard(slot, slot.ready ? crashed() : notStarted(workerUrl)))
    return slot
  }

  const next = (): void => {
    if (closed || queue.length === 0) return
    const slot = [...slots].find((slot) => slot.job === undefined) ?? (slots.size < size ? start() : undefined)
    const job = slot === undefined ? undefined : queue.shift()
    if (slot === undefined || job === undefined) return
    clearTimeout(job.timer)
    slot.job = job
    job.timer = setTimeout(() => discard(slot, tookTooLong(timeoutMs)), timeoutMs)
    slot.worker.ref()
    const bytes = ownBytes(job.bytes)
    slot.worker.postMessage({ bytes } satisfies ParseRequest, [bytes.buffer])
  }

  return {
    parse(bytes) {
      return new Promise((resolve, reject) => {
        const idle = slots.size < size || [...slots].some((slot) => slot.job === undefined)
        if (closed || (!idle && queue.length >= maxQueue)) {
          reject(overloaded(closed ? 'is shutting down' : 'has too many files waiting'))
          return
        }
        const job: Job = { bytes, resolve, reject, timer: setTimeout(() => leave(job), timeoutMs) }
        queue.push(job)
        next()
      })
    },
    async ready() {
      if (closed) throw overloaded('is shutting down')
      const slot = [...slots].find((slot) => slot.ready) ?? [...slots][0] ?? start()
      if (slot.ready) return
      await new Promise<void>((resolve, reject) => {
        slot.worker.once('message', () => resolve())
        slot.worker.once('error', (error) => reject(notStarted(workerUrl, error)))
        slot.worker.once('exit', () => reject(notStarted(workerUrl)))
      })
      if (slot.job === undefined) slot.worker.unref()
    },
    async close() {
      closed = true
      for (const job of queue.splice(0)) {
        clearTimeout(job.timer)
        job.reject(overloaded('is shutting down'))
      }
      const stopped = [...slots].map((slot) => {
        slots.delete(slot)
        finish(slot)?.reject(overloaded('is shutting down'))
        return slot.worker.terminate()
      })
      await Promise.all(stopped)
    },
  }

  function leave(job: Job): void {
    const place = queue.indexOf(job)
    if (place >= 0) queue.splice(place, 1)
    job.reject(overloaded('had no free worker in time'))
  }
}

/** Beside this file once compiled; run from source, the compiled one of the same package. */
const builtWorker = new URL(import.meta.url.endsWith('.ts') ? '../../dist/text/parse-worker.js' : './parse-worker.js', import.meta.url)

/** Bytes whose buffer can be moved: not a window onto a larger or a shared one. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) return new Uint8Array(buffer)
  return Uint8Array.from(bytes)
}

function tookTooLong(timeoutMs: number): TextParseError {
  return new TextParseError('timeout', `The file was not read within ${timeoutMs} ms. Send a smaller or simpler one.`)
}

function crashed(error?: Error): TextParseError {
  if (error !== undefined && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new TextParseError('too_complex', 'The file needs more memory to read than is allowed. Send a smaller or simpler one.')
  }
  return new TextParseError('corrupt', 'The file could not be read: its reader failed on it.')
}

function overloaded(why: string): TextParseError {
  return new TextParseError('overloaded', `The text parser ${why}; the file was not looked at. Send it again later.`)
}

function notStarted(workerUrl: URL, error?: Error): Error {
  const found = error === undefined ? 'it ended before it was ready' : error.message
  return new Error(`The text parser's worker ${workerUrl.href} did not start: ${found}. Build the package, or pass workerUrl.`)
}
