import type { AudioFacts } from '../media/length-of-audio.js'
import type { TranscriptionModel } from '../models/transcription-models.js'

/** A recording that a model can transcribe. */
export type TranscriptionOrder = AudioFacts & {
  readonly model: TranscriptionModel
  readonly audio: Uint8Array
}
