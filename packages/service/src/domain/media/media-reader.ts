import { timeLimit } from '../../platform/time.js'
import {
  findBuiltWorker,
  createWorkerPool,
  type WorkerPool,
} from '../../platform/workers/worker-pool.js'
import { FileError } from '../../platform/workers/worker-task.js'
import type { AudioFacts, RecordingFault, RecordingRules } from './inspect-media.js'

/** A task of a worker. The bytes of a video are the characters of its data URL. */
export type MediaTask =
  | { readonly kind: 'video'; readonly bytes: Uint8Array }
  | { readonly kind: 'audio'; readonly bytes: Uint8Array }
  | { readonly kind: 'recording'; readonly bytes: Uint8Array; readonly rules: RecordingRules }

/** Reads media of callers, who take turns by `caller`. Rejects with a FileError. */
export type MediaReader = {
  /** Seconds of the video in a data URL. */
  readonly lengthOfVideo: (url: string, caller: string) => Promise<number>
  /** The format and the length of a recording. */
  readonly readAudio: (bytes: Uint8Array, caller: string) => Promise<AudioFacts>
  /** The fault of a recording for voice cloning. Undefined for a good one. */
  readonly checkRecording: (
    bytes: Uint8Array,
    rules: RecordingRules,
    caller: string,
  ) => Promise<RecordingFault | undefined>
  readonly load: WorkerPool<MediaTask, unknown>['load']
  /** Resolves once a worker is ready. */
  readonly ready: () => Promise<void>
  readonly close: () => Promise<void>
}

type MediaReaderOptions = {
  /** The compiled `media-worker.js`. Default: the one of this package. */
  readonly workerUrl?: URL
  /** For one file: its wait for a worker, and then its reading. Default: 10,000. */
  readonly timeoutMs?: number
  /** JavaScript heap of one worker. Default: 256. */
  readonly maxHeapMb?: number
}

/** Reads media in a pool of worker threads with limits on heap and time. */
export function createMediaReader({
  workerUrl = findBuiltWorker(import.meta.url, 'media-worker'),
  timeoutMs = timeLimit(10_000),
  maxHeapMb = 256,
}: MediaReaderOptions = {}): MediaReader {
  const pool: WorkerPool<MediaTask, unknown> = createWorkerPool({
    name: 'media reader',
    workerUrl,
    timeoutMs,
    maxHeapMb,
    size: 2,
    maxQueueBytes: 128 * 1024 * 1024,
    maxQueue: 1_024,
    failure: (code, message) => new FileError(code, message),
  })
  return {
    lengthOfVideo: async (url, caller) =>
      (await pool.run({ kind: 'video', bytes: new TextEncoder().encode(url) }, caller)) as number,
    // a copy, since the backend and the request's fingerprint need the bytes too
    readAudio: async (bytes, caller) =>
      (await pool.run({ kind: 'audio', bytes: bytes.slice() }, caller)) as AudioFacts,
    checkRecording: async (bytes, { formats, minSampleSeconds }, caller) => {
      const rules = { formats, minSampleSeconds }
      // a copy, since the request's fingerprint needs the bytes too
      return (await pool.run({ kind: 'recording', bytes: bytes.slice(), rules }, caller)) as
        | RecordingFault
        | undefined
    },
    load: pool.load,
    ready: pool.ready,
    close: pool.close,
  }
}
