import { timeLimit } from '../../platform/time.js'
import type { OnServed } from '../../platform/upstream/upstream-settings.js'
import { noteOwnWork, type WorkCost } from '../../platform/upstream/work-cost.js'
import {
  findBuiltWorker,
  createWorkerPool,
  type WorkerLoad,
} from '../../platform/workers/worker-pool.js'
import { textModel } from '../models/catalogue.js'
import { TextParseError, type TextParseErrorCode } from './text-errors.js'

export type ParsedText = {
  readonly text: string
  /** Tokens of `text` in the o200k_base encoding. */
  readonly tokens: number
  /** What was left out of `text`. Absent if nothing was. */
  readonly warnings?: readonly ParseWarning[]
}

export type ParseWarning = { readonly code: string; readonly count: number }

export type TextParserOptions = {
  /** The compiled `parse-worker.js`. Default: the one of this package. */
  readonly workerUrl?: URL
  /** For one file: its wait for a worker, and then its reading. Default: 20,000. */
  readonly timeoutMs?: number
  /** JavaScript heap of one worker. Default: 512. */
  readonly maxHeapMb?: number
  /** Workers. One caller never has all of several. Default: 2. */
  readonly size?: number
  /** Bytes of waiting files. One caller gets at most half. Default: 64 MiB. */
  readonly maxQueueBytes?: number
  /** Waiting files. One caller gets at most half. Default: 1,024. */
  readonly maxQueue?: number
}

/** Callbacks about reading a file. */
export type TextListeners = {
  /** Called when an upstream has read it. */
  readonly onServed?: OnServed
  /** Collects what upstreams bill for it. */
  readonly cost?: WorkCost
}

export type TextParser = {
  /**
   * The text of a file and its tokens. An array that spans its whole buffer is moved to the worker
   * and is empty afterwards. Callers take turns by `caller`. Rejects with a `TextParseError` for
   * faults of the file, and with a plain `Error` when no worker starts.
   */
  parse(bytes: Uint8Array, caller?: string, listeners?: TextListeners): Promise<ParsedText>
  /** Rejects when no worker starts. Without it the parser is always ready. */
  ready?(): Promise<void>
  /** Without it, `/metrics` does not show the parser. */
  load?(): WorkerLoad
  /** Stops the workers. Running and waiting tasks reject as `overloaded`. */
  close(): Promise<void>
}

/** Extracts text in a pool of worker threads with limits on heap and time. */
export function createTextParser(options: TextParserOptions = {}): TextParser {
  const pool = createWorkerPool<{ readonly bytes: Uint8Array }, ParsedText, TextParseErrorCode>({
    name: 'text parser',
    workerUrl: options.workerUrl ?? findBuiltWorker(import.meta.url, 'parse-worker'),
    timeoutMs: options.timeoutMs ?? timeLimit(20_000),
    maxHeapMb: options.maxHeapMb ?? 512,
    size: options.size ?? 2,
    maxQueueBytes: options.maxQueueBytes ?? 64 * 1024 * 1024,
    maxQueue: options.maxQueue ?? 1_024,
    failure: (code, message) => new TextParseError(code, message),
  })
  const parse: TextParser['parse'] = (bytes, caller = '', { cost } = {}) => {
    noteOwnWork(cost, textModel)
    return pool.run({ bytes }, caller)
  }
  return { parse, load: pool.load, ready: pool.ready, close: pool.close }
}
