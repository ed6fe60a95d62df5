import type { InferenceBackend, InferenceTask } from '../inference/inference-task.js'
import type { AudioFormat, AudioFacts } from '../media/media-length.js'
import type { TranscriptionModel } from '../models/transcription-models.js'

/** A recording to transcribe. Its length was read before. */
export type TranscriptionTask = InferenceTask & {
  readonly audio: Uint8Array
  /** The kind of the file, by its content. */
  readonly format: AudioFormat
  readonly seconds: number
  /** ISO 639-1. */
  readonly language?: string
  readonly prompt?: string
  readonly temperature?: number
  /** The times that the caller wants. */
  readonly times: { readonly segments: boolean; readonly words: boolean }
}

export type Transcript = {
  readonly text: string
  /** The name of the language in English, such as `english`. */
  readonly language?: string
  /** In order, without overlap. Needed when `times.segments`. */
  readonly segments?: readonly TranscriptSegment[]
  /** Needed when `times.words`. */
  readonly words?: readonly TranscriptWord[]
}

export type TranscriptSegment = {
  /** Seconds from the beginning of the recording. */
  readonly start: number
  readonly end: number
  readonly text: string
  readonly tokens?: readonly number[]
  readonly temperature?: number
  readonly avg_logprob?: number
  readonly compression_ratio?: number
  readonly no_speech_prob?: number
}

export type TranscriptWord = {
  readonly word: string
  readonly start: number
  readonly end: number
}

export type TranscriptionBackend = InferenceBackend & {
  /** Rejects with an InferenceError for faults that the caller should know, and when it aborts. */
  readonly transcribe: (task: TranscriptionTask, signal: AbortSignal) => Promise<Transcript>
}

/** A recording that a model can transcribe. */
export type TranscriptionOrder = AudioFacts & {
  readonly model: TranscriptionModel
  readonly audio: Uint8Array
}
