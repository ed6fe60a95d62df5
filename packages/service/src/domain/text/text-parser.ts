import { builtWorker } from '../../platform/workers/built-worker.js'
import { createWorkerPool } from '../../platform/workers/worker-pool.js'
import { TextParseError, type TextParseErrorCode } from './text-parse-error.js'

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
  /** Workers; default 2. Where there are several, one caller never has all of them. */
  readonly size?: number
  /** Bytes of the files that wait for a worker, of which one caller has half at most; default 64 MiB. */
  readonly maxQueueBytes?: number
  /** Files that wait for a worker, of which one caller has half at most; default 1,024. */
  readonly maxQueue?: number
}

export type TextParser = {
  /**
   * The text of a file and its tokens. The bytes are handed over: an array that spans its whole buffer is moved to the
   * worker and is empty afterwards. Callers take turns by the name in `caller`. Rejects with `TextParseError` for whatever the file
   * is at fault for, and with a plain `Error` when the worker cannot be started at all.
   */
  parse(bytes: Uint8Array, caller?: string): Promise<ParsedText>
  /** Resolves once a worker is there to take a file; rejects when none can be started. Without it the parser is always ready. */
  ready?(): Promise<void>
  /** Stops the workers; what is under way or waiting rejects as `overloaded`. */
  close(): Promise<void>
}

/** Extracts text in a small pool of worker threads with a limit on heap and time. */
export function createTextParser(options: TextParserOptions = {}): TextParser {
  const pool = createWorkerPool<{ readonly bytes: Uint8Array }, ParsedText, TextParseErrorCode>({
    name: 'text parser',
    workerUrl: options.workerUrl ?? builtWorker(import.meta.url, 'parse-worker'),
    timeoutMs: options.timeoutMs ?? 20_000,
    maxHeapMb: options.maxHeapMb ?? 512,
    size: options.size ?? 2,
    maxQueueBytes: options.maxQueueBytes ?? 64 * 1024 * 1024,
    maxQueue: options.maxQueue ?? 1_024,
    failure: (code, message) => new TextParseError(code, message),
  })
  return { parse: (bytes, caller = '') => pool.run({ bytes }, caller), ready: pool.ready, close: pool.close }
}
