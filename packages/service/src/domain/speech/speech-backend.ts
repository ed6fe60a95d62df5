import type { SpeechFormat } from '@farebox/types'

/** A text to speak, with all defaults. */
export type SpeechRequest = {
  readonly text: string
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
}

export type SpeechBackend = {
  /** For the header X-Farebox-Backend, with the voice that speaks. */
  readonly describe: (request: SpeechRequest) => string
  /**
   * Bytes of the format. An empty part means that a part of the text was spoken that has no bytes
   * yet. Ends early when the signal aborts. Throws a SpeechError for faults that the caller should
   * know.
   */
  readonly speak: (request: SpeechRequest, signal: AbortSignal) => AsyncIterable<Uint8Array>
  /** Rejects when the backend cannot speak. Without it the backend is always ready. */
  readonly ready?: () => Promise<void>
  readonly close: () => Promise<void>
}

export type SpeechErrorOptions = ErrorOptions & {
  /** When a retry may succeed. Default: soon. */
  readonly retryAfterSeconds?: number | undefined
  /**
   * The fault of an upstream, for the log, without secrets and text. `failed` is then not a crash.
   */
  readonly trouble?: string | undefined
}

/**
 * `refused`: the request is at fault. `busy`, `timeout`: a retry may succeed. The message is for
 * the caller.
 */
export class SpeechError extends Error {
  override readonly name = 'SpeechError'
  readonly code: 'refused' | 'busy' | 'timeout' | 'failed'
  readonly retryAfterSeconds: number | undefined
  readonly trouble: string | undefined

  constructor(code: SpeechError['code'], message: string, { retryAfterSeconds, trouble, ...options }: SpeechErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
    this.trouble = trouble
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
