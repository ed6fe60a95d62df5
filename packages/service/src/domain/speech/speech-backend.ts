import type { SpeechFormat } from '@farebox/types'
import {
  UpstreamError,
  type UpstreamErrorOptions,
} from '../../platform/upstream/upstream-failure.js'
import type { OnServed } from '../../platform/upstream/upstream-settings.js'
import type { WorkCost } from '../../platform/upstream/work-cost.js'
import type { WorkerLoad } from '../../platform/workers/worker-pool.js'

/** A text to speak, with all defaults. */
export type SpeechRequest = {
  readonly text: string
  /** The account that pays, for fair shares. It is not sent on. */
  readonly caller: string
  readonly model: string
  readonly voice: string
  readonly format: SpeechFormat
  /** 1 is the pace of the voice. The pitch does not change. */
  readonly speed: number
  /** Sentence by sentence. Otherwise one whole file. */
  readonly streaming: boolean
  readonly language?: string
  readonly prompt?: string
  readonly temperature?: number
  readonly topP?: number
  /** The Idempotency-Key for upstreams that honor one. */
  readonly key?: string
  /** Called when an upstream accepts the text. */
  readonly onServed?: OnServed
  /** Collects what upstreams bill for the text. */
  readonly cost?: WorkCost
}

/** The next part of the audio. */
export type SpeechPart = {
  /** Of the format. Empty when a part of the text was made that has no bytes yet. */
  readonly bytes: Uint8Array
  /**
   * Characters (code points) of the text that are made by now, from its beginning. Each is paid.
   */
  readonly made: number
}

export type SpeechBackend = {
  /**
   * For the header X-Farebox-Backend, with the voice that speaks. With `host`, that of the upstream
   * that serves the request. What follows a semicolon is only for callers of an operator who names
   * backends.
   */
  readonly describe: (request: SpeechRequest, host?: string) => string
  /**
   * The audio. Each part is made when the consumer asks for it, so that an unread text does not
   * delay others. Ends early when the signal aborts, with a part for all that was made. Throws a
   * SpeechError for faults that the caller should know.
   */
  readonly speak: (request: SpeechRequest, signal: AbortSignal) => AsyncIterable<SpeechPart>
  /**
   * Rejects with a SpeechError `busy` for a text that would not be spoken in time, before its price
   * is held. Without it the backend takes every text.
   */
  readonly rejectLate?: (
    request: Pick<SpeechRequest, 'text' | 'caller' | 'format' | 'streaming' | 'speed'>,
  ) => Promise<void>
  /** Sentences. Without it, `/metrics` does not show the backend. */
  readonly load?: () => WorkerLoad
  /** Rejects when the backend cannot speak. Without it the backend is always ready. */
  readonly ready?: () => Promise<void>
  readonly close: () => Promise<void>
}

/** With a `trouble`, `failed` is not a crash. */
type SpeechErrorOptions = UpstreamErrorOptions

/**
 * `rejected`: the request is at fault. `busy`, `timeout`: a retry may succeed. `unread`: the caller
 * stopped reading, and is charged as after a disconnect. The message is for the caller.
 */
export class SpeechError extends UpstreamError {
  override readonly name = 'SpeechError'
  readonly code: 'rejected' | 'busy' | 'timeout' | 'unread' | 'failed'

  constructor(code: SpeechError['code'], message: string, options?: SpeechErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export const mediaTypes = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
} as const satisfies Readonly<Record<SpeechFormat, string>>
