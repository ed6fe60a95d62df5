import type { SpeechFormat } from '@farebox/types'

/** A text to be said, every field settled. */
export type SpeechRequest = {
  readonly text: string
  readonly model: string
  readonly voice: string
  readonly format: SpeechFormat
  /** 1 is the pace of the voice; the pitch stays. */
  readonly speed: number
  /** Sentence by sentence as it is made; else one whole file. */
  readonly streaming: boolean
  readonly language?: string
  readonly prompt?: string
  readonly temperature?: number
  readonly topP?: number
}

/** Where speech comes from. */
export type SpeechBackend = {
  /** Said in the header X-Farebox-Backend, with the voice that really speaks. */
  readonly describe: (request: SpeechRequest) => string
  /**
   * Bytes of the format. An empty part says that some of the text was said, and is no bytes yet.
   * Ends early when the signal aborts. Throws SpeechError for what the caller should know.
   */
  readonly speak: (request: SpeechRequest, signal: AbortSignal) => AsyncIterable<Uint8Array>
  /** Resolves once a text could be said; rejects when none can. Without it the backend is always ready. */
  readonly ready?: () => Promise<void>
  readonly close: () => Promise<void>
}

export type SpeechErrorOptions = ErrorOptions & {
  /** When there may be speech again. Default: soon. */
  readonly retryAfterSeconds?: number | undefined
  /** What another service did wrong, for the operator's log: no secret, and none of the text. Then `failed` is no fault of ours. */
  readonly trouble?: string | undefined
}

/** Why there is no speech. `refused`: the request is at fault, as the message tells its caller. `busy`, `timeout`: later there may be. */
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
